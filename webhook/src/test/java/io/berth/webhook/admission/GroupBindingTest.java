package io.berth.webhook.admission;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.policy;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.binding.Owner;
import io.berth.webhook.binding.OwnerLookup;
import io.berth.webhook.binding.OwnerSize;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.binding.PolicyServing;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bindings that make the pods of each owner a group. */
class GroupBindingTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CREATED = "2026-01-01T00:00:00Z";
  private static final String PREFIX = "sched.cloud.ctrip.com/";

  private Optional<OwnerSize> size =
      Optional.of(new OwnerSize("train-1234", true, OptionalInt.of(8)));
  private final LiveCatalog catalog =
      new LiveCatalog("berth-system", new Sizes(), PolicyServing.always());
  private final PodMutator mutator = new PodMutator(ConfigLookup.nothing(), InstantSource.system());

  private final class Sizes implements OwnerLookup {
    @Override
    public Owner root(String namespace, Controller controller, Map<String, String> podLabels) {
      return controller.asOwner();
    }

    @Override
    public Optional<OwnerSize> size(PodSubject pod) {
      return size;
    }
  }

  @BeforeEach
  void servePolicy() {
    catalog.put(policy("batch", CREATED, ""));
  }

  private void bind(String spec) {
    catalog.put(binding("team", "groups", CREATED, "schedulingPolicy: batch, " + spec));
  }

  /** Returns the group annotations of a pod that is created with these annotations. */
  private Map<String, String> group(String annotations) throws IOException {
    JsonNode pod =
        JSON.readTree(
            """
            {"metadata": {"generateName": "train-", "annotations": %s, "ownerReferences": [
              {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "1234",
               "controller": true}]}, "spec": {}}
            """
                .formatted(annotations));
    JsonNode stored = stored(pod);
    assertThat(stored(stored)).as("rendering twice changes nothing").isEqualTo(stored);
    Map<String, String> group = new TreeMap<>();
    stored
        .at("/metadata/annotations")
        .properties()
        .forEach(
            each -> {
              if (each.getKey().startsWith(PREFIX + "group")) {
                group.put(each.getKey().substring(PREFIX.length()), each.getValue().asText());
              }
            });
    return group;
  }

  private JsonNode stored(JsonNode pod) {
    PodVerdict.Admitted admitted = (PodVerdict.Admitted) mutator.mutate("team", pod, catalog.get());
    return JsonPatch.apply(pod, admitted.patch());
  }

  @ParameterizedTest
  @CsvSource({"100%,8", "50%,4", "51%,5", "1%,1", "3,3"})
  void theMinimum_isAShareOfTheOwnersPods_orANumber(String min, String expected)
      throws IOException {
    bind("group: {min: \"" + min + "\"}");

    assertThat(group("{}"))
        .containsOnly(Map.entry("group", "train-1234"), Map.entry("group-min", expected));
  }

  @Test
  void allOfTheRule_reachesThePods() throws IOException {
    bind("group: {topology: {key: rack, mode: Required}, disruption: Group, timeout: 5m}");

    assertThat(group("{}"))
        .containsEntry("group-min", "8")
        .containsEntry("group-topology", "rack")
        .containsEntry("group-topology-mode", "Required")
        .containsEntry("group-disruption", "Group")
        .containsEntry("group-timeout", "5m");
  }

  @Test
  void aPodsOwnGroup_stays() throws IOException {
    bind("group: {}");

    assertThat(group("{\"" + PREFIX + "group\": \"mine\"}"))
        .containsOnly(Map.entry("group", "mine"));
  }

  @Test
  void aPodsOwnGroup_isReplaced_byABindingThatDeniesOverrides() throws IOException {
    bind("podOverrides: Deny, group: {}");

    assertThat(group("{\"" + PREFIX + "group\": \"mine\"}"))
        .containsOnly(Map.entry("group", "train-1234"), Map.entry("group-min", "8"));
  }

  @Test
  void podsOfOwnersThatAreNoGroups_areLeftAlone() throws IOException {
    bind("group: {}");
    size = Optional.empty();

    assertThat(group("{}")).isEmpty();
  }

  @Test
  void whatTheBindingLeavesOut_isRemoved_ifItDeniesOverrides() throws IOException {
    bind("podOverrides: Deny, group: {}");

    assertThat(
            group(
                """
                {"sched.cloud.ctrip.com/group-topology": "rack",
                 "sched.cloud.ctrip.com/group-disruption": "Group"}
                """))
        .containsOnly(Map.entry("group", "train-1234"), Map.entry("group-min", "8"));
  }

  @Test
  void aPodsOwnGroup_isRemoved_whereItsOwnerIsNone_ifTheBindingDeniesOverrides()
      throws IOException {
    bind("podOverrides: Deny, group: {}");
    size = Optional.of(new OwnerSize("web-1234", false, OptionalInt.empty()));

    assertThat(
            group(
                """
                {"sched.cloud.ctrip.com/group": "mine", "sched.cloud.ctrip.com/group-min": "2"}
                """))
        .containsOnly(Map.entry("group", ""));

    size = Optional.empty();
    assertThat(group("{\"sched.cloud.ctrip.com/group\": \"mine\"}"))
        .as("the engine then reads no group of another dialect either")
        .containsOnly(Map.entry("group", ""));
  }

  @Test
  void podsOfOwnersOfUnknownSize_areAGroup_ifTheyDeclareIt() throws IOException {
    bind("group: {min: 50%}");
    size = Optional.of(new OwnerSize("simulation-1234", false, OptionalInt.empty()));

    assertThat(group("{}")).isEmpty();
    assertThat(group("{\"" + PREFIX + "group-size\": \"6\"}"))
        .containsEntry("group", "simulation-1234")
        .containsEntry("group-min", "3");
  }

  @ParameterizedTest
  @CsvSource({"Allow", "Deny"})
  void whatAPodDeclares_doesNotCount_whereTheOwnerHasASize(String podOverrides) throws IOException {
    bind("podOverrides: " + podOverrides + ", group: {}");

    assertThat(group("{\"" + PREFIX + "group-size\": \"1\"}")).containsEntry("group-min", "8");

    size = Optional.of(new OwnerSize("train-1234", true, OptionalInt.empty()));
    assertThat(group("{\"" + PREFIX + "group-size\": \"1\"}"))
        .as("a size that could not be read is not the pod's to say")
        .doesNotContainKey("group-min");
  }
}
