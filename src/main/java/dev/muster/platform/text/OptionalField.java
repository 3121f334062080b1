package dev.muster.platform.text;

import java.util.Optional;

/** Tells apart an absent field, an explicit null and a value. */
public sealed interface OptionalField<T> {

  /** The request does not have the field. */
  record Absent<T>() implements OptionalField<T> {}

  /** The request has the field; {@code value} is empty for an explicit null. */
  record Given<T>(Optional<T> value) implements OptionalField<T> {}

  default boolean given() {
    return this instanceof Given<T>;
  }

  /** Returns the value; empty if the field is absent or null. */
  default Optional<T> value() {
    return this instanceof Given<T>(Optional<T> value) ? value : Optional.empty();
  }
}
