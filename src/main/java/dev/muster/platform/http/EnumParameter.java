package dev.muster.platform.http;

import dev.muster.platform.problem.ProblemException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads a query parameter that is one of a few words. */
public final class EnumParameter {

  private EnumParameter() {}

  /** Returns the value of {@code word}; empty for {@code ""}. Refuses an unknown word with 400. */
  public static <E> Optional<E> read(
      String name, String word, E[] values, Function<E, String> wire) {
    if (word.isEmpty()) {
      return Optional.empty();
    }
    Optional<E> found =
        Arrays.stream(values).filter(value -> wire.apply(value).equals(word)).findFirst();
    if (found.isEmpty()) {
      throw ProblemException.validation(
          name
              + " must be one of: "
              + Arrays.stream(values).map(wire).collect(Collectors.joining(", ")));
    }
    return found;
  }
}
