package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OwnerTest {

  @Test
  void hasTheSameShareForTheSameTokenAndName() {
    assertThat(Owner.ofPerson("token", "Eve")).isEqualTo(Owner.ofPerson("token", "Eve"));
    assertThat(Owner.ofPerson("token", "Eve")).isNotEqualTo(Owner.ofPerson("another", "Eve"));
  }

  @Test
  void hasAtMostFourSharesOfATokenForAllNames() {
    assertThat(IntStream.range(0, 1000).mapToObj(n -> Owner.ofPerson("token", "name " + n)))
        .contains(Owner.ofPerson("token", ""))
        .extracting(Owner::hashCode)
        .isSubsetOf(
            IntStream.range(0, Owner.SHARES_OF_A_TOKEN)
                .mapToObj(share -> new Owner.OfPeople("token", share).hashCode())
                .toList());
  }
}
