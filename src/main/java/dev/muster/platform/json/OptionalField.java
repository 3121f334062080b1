package dev.muster.platform.json;

import java.util.Optional;
import java.util.function.Consumer;

/** A field of a request body, where absent, null and a value are three different things. */
public sealed interface OptionalField<T> {

  /** The sender did not write the field. */
  record Absent<T>() implements OptionalField<T> {}

  /** The sender wrote the field: {@code empty} is an explicit null. */
  record Given<T>(Optional<T> value) implements OptionalField<T> {}

  default boolean given() {
    return this instanceof Given<T>;
  }

  default void ifGiven(Consumer<Optional<T>> action) {
    if (this instanceof Given<T>(Optional<T> value)) {
      action.accept(value);
    }
  }

  /** The value, or empty when absent or null. */
  default Optional<T> value() {
    return this instanceof Given<T>(Optional<T> value) ? value : Optional.empty();
  }
}
