package io.berth.operator.owner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.OwnerSize;
import io.berth.webhook.binding.PodSubject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The number of pods that a workload runs; the test acts as API server. */
class WorkloadSizesTest {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Controller DRIVER = new Controller("v1", "Pod", "pi-driver", "uid-driver");
  private static final Controller SPARK =
      new Controller("sparkoperator.k8s.io/v1beta2", "SparkApplication", "pi", "12345678-9");

  private final Map<String, JsonNode> objects = new HashMap<>();
  private final List<String> reads = new ArrayList<>();
  private final WorkloadSizes sizes =
      new WorkloadSizes(
          path -> {
            reads.add(path);
            return CompletableFuture.completedFuture(Optional.ofNullable(objects.get(path)));
          },
          (namespace, pod) -> pod.equals(DRIVER) ? Optional.of(SPARK) : Optional.empty());

  private void serve(String path, String yaml) {
    try {
      objects.put(path, YAML.readTree(yaml));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static PodSubject podOf(Controller controller) {
    return new PodSubject(
        "team", "p-", Map.of(), Map.of(), Optional.of(controller), "berth", false);
  }

  private Optional<OwnerSize> learned(Controller controller) {
    assertThat(sizes.learn(podOf(controller))).isEmpty();
    return sizes.size(podOf(controller));
  }

  private OptionalInt sizeOfJob(String spec) {
    Controller job = new Controller("batch/v1", "Job", "train", "12345678-9");
    serve(
        "/apis/batch/v1/namespaces/team/jobs/train",
        "{metadata: {uid: 12345678-9}, spec: " + spec + "}");
    return learned(job).orElseThrow().pods();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                           | 1",
        "{parallelism: 8}                             | 8",
        "{parallelism: 8, completions: 20}            | 8",
        "{parallelism: 8, completions: 5}             | 5",
      })
  void aJob_runsAsManyPodsAsItsParallelismAllows_andItsCompletionsNeed(String spec, int pods) {
    assertThat(sizeOfJob(spec)).hasValue(pods);
  }

  @Test
  void aJobWithoutPods_hasNoSize() {
    assertThat(sizeOfJob("{parallelism: 0}")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{workerGroupSpecs: [{replicas: 3}, {replicas: 2, numOfHosts: 4}]}           | 12",
        "{workerGroupSpecs: [{replicas: 3}, {replicas: 2, suspend: true}]}           | 4",
        "{workerGroupSpecs: [{minReplicas: 2}]}                                      | 3",
        "{enableInTreeAutoscaling: true, workerGroupSpecs: [{replicas: 9, minReplicas: 1}]} | 2",
      })
  void aRayCluster_runsItsHeadAndItsWorkers(String spec, int pods) {
    Controller ray = new Controller("ray.io/v1", "RayCluster", "ray", "uid-ray");
    serve(
        "/apis/ray.io/v1/namespaces/team/rayclusters/ray",
        "{metadata: {uid: uid-ray}, spec: " + spec + "}");

    assertThat(learned(ray).orElseThrow().pods()).hasValue(pods);
  }

  private void serveSpark(String spec) {
    serve(
        "/apis/sparkoperator.k8s.io/v1beta2/namespaces/team/sparkapplications/pi",
        "{metadata: {uid: 12345678-9}, spec: " + spec + "}");
  }

  @Test
  void executors_areAGroup_ofTheApplicationBehindTheirDriver() {
    serveSpark("{executor: {instances: 6}}");

    assertThat(learned(DRIVER)).contains(new OwnerSize("pi-12345678", true, OptionalInt.of(6)));
  }

  @Test
  void executorsThatAreAllocatedDynamically_areAsManyAsThereAreAtFirst() {
    serveSpark("{dynamicAllocation: {enabled: true, minExecutors: 2}, executor: {instances: 6}}");

    assertThat(learned(DRIVER).orElseThrow().pods()).hasValue(2);
  }

  @Test
  void aDriver_startsAlone() {
    assertThat(learned(SPARK)).isEmpty();
    assertThat(reads).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"apps/v1,ReplicaSet", "apps/v1,StatefulSet", "apps/v1,DaemonSet"})
  void podsThatDoNotDependOnEachOther_areNoGroup(String apiVersion, String kind) {
    assertThat(learned(new Controller(apiVersion, kind, "web", "uid"))).isEmpty();
  }

  @Test
  void anOwnerOfAnotherKind_hasNoKnownSize_andIsNotRead() {
    assertThat(learned(new Controller("example.com/v1", "Simulation", "s", "uid-s")))
        .contains(new OwnerSize("s-uid-s", false, OptionalInt.empty()));
    assertThat(reads).isEmpty();
  }

  @Test
  void aSize_isReadOnceForManyPods() {
    sizeOfJob("{parallelism: 8}");
    sizeOfJob("{parallelism: 8}");

    assertThat(reads).hasSize(1);
  }

  @Test
  void anotherJobUnderTheSameName_isNotTheOwner() {
    serve(
        "/apis/batch/v1/namespaces/team/jobs/train",
        "{metadata: {uid: another}, spec: {parallelism: 8}}");

    assertThat(learned(new Controller("batch/v1", "Job", "train", "uid")).orElseThrow().pods())
        .isEmpty();
  }

  @Test
  void anApiServerThatFails_isNotAskedForEveryPod() {
    WorkloadSizes failing =
        new WorkloadSizes(
            path -> {
              reads.add(path);
              return CompletableFuture.failedFuture(new IOException("no such host"));
            },
            (namespace, pod) -> Optional.empty());
    PodSubject pod = podOf(new Controller("batch/v1", "Job", "train", "uid"));

    assertThat(failing.learn(pod)).contains("Job team/train: no such host");
    assertThat(failing.learn(pod)).isPresent();
    assertThat(reads).hasSize(1);
    assertThat(failing.size(pod).orElseThrow().pods()).isEmpty();
  }
}
