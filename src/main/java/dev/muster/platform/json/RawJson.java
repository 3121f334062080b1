package dev.muster.platform.json;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonValue;

/** A JSON value kept, and written, byte for byte as its sender wrote it (R0.8). */
public record RawJson(@JsonValue @JsonRawValue String text) {}
