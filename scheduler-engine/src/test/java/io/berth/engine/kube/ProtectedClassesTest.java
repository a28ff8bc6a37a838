package io.berth.engine.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PriorityClasses whose protection is misspelled are reported. */
class ProtectedClassesTest {
  @ParameterizedTest
  @ValueSource(strings = {"nonpreemptible", "NonPreemptable", "true", ""})
  void anotherValueThanTheAcceptedOne_protectsNobody_andIsReported(String value) {
    ClusterEvent event =
        new KubeEvents()
            .upserted(
                new PriorityClassBuilder()
                    .withNewMetadata()
                    .withName("training")
                    .addToAnnotations("sched.cloud.ctrip.com/preemption-policy", value)
                    .endMetadata()
                    .withValue(100)
                    .build());

    assertThat(event)
        .isInstanceOfSatisfying(
            ClusterEvent.PriorityClassUpserted.class,
            upserted ->
                assertThat(upserted.partly().orElseThrow().reason())
                    .contains("\"" + value + "\"", "the only accepted value is NonPreemptible"));
  }
}
