package io.berth.demo.history;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The rule that a device is used by the pods of one claim. */
class DevicesUsedOnceTest {
  private static final String DEVICE = "driver/a-1/gpu-0";

  private final Histories history =
      new Histories()
          .node("a-1", "4")
          .created("p", "berth", 0, "1")
          .created("q", "berth-second", 0, "1")
          .claim("one", DEVICE, "p")
          .bound("p", "a-1");

  @Test
  void deviceOfTwoClaims_isAViolation_whenPodsOfBothAreBound() {
    history.claim("other", DEVICE, "q").at(2).bound("q", "a-1");

    assertThat(Histories.check().violations(history.until(9)))
        .extracting(Violation::text)
        .singleElement()
        .asString()
        .contains("device driver/a-1/gpu-0 is used by pods of claim default/");
  }

  @Test
  void deviceOfTwoClaims_isNoViolation_whileThePodOfOneWaits() {
    history.claim("other", DEVICE, "q").at(2).claim("other", "driver/a-1/gpu-1", "q");
    history.bound("q", "a-1");

    assertThat(Histories.check().violations(history.until(9))).isEmpty();
  }

  @Test
  void deviceOfAClaimThatIsGone_mayBeUsedAgain() {
    history.deletedClaim("one").claim("other", DEVICE, "q").bound("q", "a-1");

    assertThat(Histories.check().violations(history.until(9))).isEmpty();
  }
}
