package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.PodModel;
import io.berth.operator.gpu.CardProtocols;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pods are parsed as far as they are read. */
class ObjectJsonTest {
  /** The packages whose code receives the pods that the feed has parsed. */
  private static final String[] READERS = {
    "io.berth.engine.kube", "io.berth.operator.feed", "io.berth.operator.gpu"
  };

  private static final String GETTER = "get";
  private static final String UNTYPED = "getAdditionalProperties";

  private static FedPod cached(Pod pod) {
    return FedPod.of(pod, new KubeEvents(new CardProtocols()).upserted(pod));
  }

  private static Pod parsed(String json) throws IOException {
    return ObjectJson.of(Pod.class).readValue(json.getBytes(StandardCharsets.UTF_8), Pod.class);
  }

  private static PodModel compiled(FedPod pod) {
    assertThat(pod.event()).isInstanceOf(ClusterEvent.PodUpserted.class);
    ClusterEvent.PodUpserted event = (ClusterEvent.PodUpserted) pod.event();
    assertThat(event.partly()).isEmpty();
    return event.pod();
  }

  @Test
  void aPod_isCachedAsIfItWereParsedCompletely() throws IOException {
    FedPod pod = cached(parsed(SamplePod.JSON));

    assertThat(pod).isEqualTo(cached(Serialization.unmarshal(SamplePod.JSON, Pod.class)));
    assertThat(pod.gpu()).isPresent();
    assertThat(compiled(pod).cards()).isPresent();
    assertThat(compiled(pod).group()).isPresent();
    assertThat(compiled(pod).preempted()).isTrue();
  }

  @Test
  void aPendingPod_isCachedAsIfItWereParsedCompletely() throws IOException {
    String pending =
        SamplePod.JSON.replace("\"nodeName\": \"n1\", ", "").replace("Failed", "Pending");

    FedPod pod = cached(parsed(pending));

    assertThat(pod).isEqualTo(cached(Serialization.unmarshal(pending, Pod.class)));
    assertThat(compiled(pod).spec().cards().isEmpty()).isFalse();
  }

  @Test
  void whatIsNotRead_isNotParsed() throws IOException {
    assertThat(Serialization.asJson(parsed(SamplePod.JSON)))
        .contains("tolerations")
        .doesNotContain("env", "fieldsV1", "finalizers", "livenessProbe", "projected");
  }

  @Test
  void everyFieldThatIsRead_isParsed() {
    Map<String, List<String>> parsed =
        ObjectJson.PARTS_OF_PODS.entrySet().stream()
            .collect(
                Collectors.toMap(
                    part -> part.getKey().getName(),
                    part ->
                        List.of(
                            part.getValue().getAnnotation(JsonIncludeProperties.class).value())));
    TreeSet<String> read = new TreeSet<>();
    TreeSet<String> missing = new TreeSet<>();
    readers()
        .filter(access -> parsed.containsKey(access.getTargetOwner().getName()))
        .filter(access -> !isSetter(access.getName()) && !access.getName().equals(UNTYPED))
        .forEach(
            access -> {
              read.add(access.getName());
              if (!parsed.get(access.getTargetOwner().getName()).contains(property(access))) {
                missing.add(access.getDescription());
              }
            });
    assertThat(read).contains("getTolerations", "getConditions", "getRbd");
    assertThat(missing).as("add these fields to ObjectJson").isEmpty();
  }

  /** A field that the client's types do not have has to be named in ObjectJson, too. */
  @Test
  void untypedFieldsOfPods_areReadInKnownPlaces() {
    Set<String> owners = Set.of(PodSpec.class.getName(), PodStatus.class.getName());
    assertThat(
            readers()
                .filter(access -> owners.contains(access.getTargetOwner().getName()))
                .filter(access -> access.getName().equals(UNTYPED))
                .map(access -> access.getOriginOwner().getSimpleName() + " reads " + UNTYPED))
        .containsOnly(
            "GroupReading reads " + UNTYPED, // schedulingGroup
            "EffectiveRequests reads " + UNTYPED); // resources, allocatedResources
  }

  /** Calls and method references in the packages that receive pods from the feed. */
  private static Stream<JavaCodeUnitAccess<?>> readers() {
    return new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(READERS).stream()
            .flatMap(each -> each.getCodeUnitAccessesFromSelf().stream());
  }

  private static boolean isSetter(String name) {
    return name.startsWith("set") || name.equals("<init>");
  }

  /** Returns the field that a method reads; the method's own name if it is not a getter. */
  private static String property(JavaCodeUnitAccess<?> access) {
    String name = access.getName();
    if (!name.startsWith(GETTER)) {
      return name;
    }
    String field = name.substring(GETTER.length());
    return field.substring(0, 1).toLowerCase(Locale.ROOT) + field.substring(1);
  }
}
