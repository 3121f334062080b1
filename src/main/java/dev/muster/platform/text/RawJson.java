package dev.muster.platform.text;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonValue;

/** Keeps and writes a JSON value exactly as the sender wrote it (R0.8). */
public record RawJson(@JsonValue @JsonRawValue String text) {}
