package io.berth.engine.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.RunTime;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The expected run time of pods. */
class RunTimeReadingTest {
  private static final String ANNOTATION = "sched.cloud.ctrip.com/expected-duration";

  private static Pod pod(String restartPolicy, Map<String, String> annotations) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("worker-0")
        .withNamespace("team")
        .withUid("uid-0")
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .withRestartPolicy(restartPolicy)
        .addNewContainer()
        .withName("c")
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  private static RunTime runTimeOf(Pod pod) {
    ClusterEvent event = new KubeEvents().upserted(pod);
    if (event instanceof ClusterEvent.PodUpserted upserted) {
      return upserted.pod().runTime();
    }
    throw new AssertionError("refused: " + event);
  }

  @Test
  void podThatIsRestartedForEver_isEndless() {
    assertThat(runTimeOf(pod("Always", Map.of()))).isEqualTo(RunTime.endless());
    assertThat(runTimeOf(pod(null, Map.of()))).isEqualTo(RunTime.endless());
  }

  @Test
  void podOfAJob_ends_nobodyKnowsWhen() {
    assertThat(runTimeOf(pod("Never", Map.of()))).isEqualTo(RunTime.toCompletion());
    assertThat(runTimeOf(pod("OnFailure", Map.of()))).isEqualTo(RunTime.toCompletion());
  }

  @Test
  void declaredDuration_counts_whateverTheRestartPolicy() {
    assertThat(runTimeOf(pod("Always", Map.of(ANNOTATION, "1h30m"))))
        .isEqualTo(RunTime.of(Duration.ofMinutes(90)));
  }

  @Test
  void durationThatCannotBeRead_rejectsThePod_andSaysWhatIsExpected() {
    ClusterEvent event = new KubeEvents().upserted(pod("Never", Map.of(ANNOTATION, "two hours")));

    assertThat(event)
        .isInstanceOfSatisfying(
            ClusterEvent.Malformed.class,
            malformed ->
                assertThat(malformed.refusal().reason())
                    .contains(ANNOTATION + " is \"two hours\": must be a duration such as 2h"));
  }
}
