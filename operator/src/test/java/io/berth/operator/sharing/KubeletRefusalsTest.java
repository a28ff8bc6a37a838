package io.berth.operator.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Pod failures that count as a kubelet's rejection, and their labels. */
class KubeletRefusalsTest {

  @Test
  void nativeResources_andPredicates_keepTheirReason() {
    assertThat(KubeletRefusals.label("OutOfcpu")).contains("OutOfcpu");
    assertThat(KubeletRefusals.label("OutOfpods")).contains("OutOfpods");
    assertThat(KubeletRefusals.label("NodeAffinity")).contains("NodeAffinity");
    assertThat(KubeletRefusals.label("UnexpectedAdmissionError"))
        .contains("UnexpectedAdmissionError");
  }

  @Test
  void extendedResources_shareALabel_becauseTheirNamesAreAnybodysToChoose() {
    assertThat(KubeletRefusals.label("OutOfexample.com/gpu")).contains("OutOfExtendedResource");
  }

  @Test
  void podThatRanAndFailed_isNoRefusal() {
    assertThat(KubeletRefusals.label("")).isEmpty();
    assertThat(KubeletRefusals.label("DeadlineExceeded")).isEmpty();
    assertThat(KubeletRefusals.label("Evicted")).isEmpty();
  }
}
