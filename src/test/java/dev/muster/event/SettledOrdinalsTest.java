package dev.muster.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.SettledOrdinals.Moment;
import org.junit.jupiter.api.Test;

class SettledOrdinalsTest {

  private final SettledOrdinals settled = new SettledOrdinals();

  @Test
  void areThoseOfTransactionsThatHaveEndedBeforeALook() {
    settled.lookedAtAll(new Moment(10, 100, 105));
    assertThat(settled.upTo()).isZero();

    settled.lookedAtAll(new Moment(20, 104, 110));
    assertThat(settled.upTo()).as("one that may have taken the ordinal 10 is running").isZero();

    settled.lookedAtAll(new Moment(30, 105, 112));
    assertThat(settled.upTo()).isEqualTo(10);

    settled.lookedAtAll(new Moment(30, 112, 112));
    assertThat(settled.upTo()).isEqualTo(30);
  }

  @Test
  void areForgottenWithTheDatabase() {
    settled.lookedAtAll(new Moment(10, 100, 100));
    settled.lookedAtAll(new Moment(20, 100, 100));
    assertThat(settled.upTo()).isEqualTo(10);

    settled.lookedAtAll(new Moment(5, 90, 90));
    assertThat(settled.upTo()).isZero();

    settled.lookedAtAll(new Moment(6, 90, 91));
    assertThat(settled.upTo()).isEqualTo(5);

    // its ordinals go on where the log of changes has them, some ahead
    settled.lookedAtAll(new Moment(40, 80, 80));
    assertThat(settled.upTo()).isZero();
  }
}
