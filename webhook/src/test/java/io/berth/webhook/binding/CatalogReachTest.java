package io.berth.webhook.binding;

import static io.berth.webhook.Resources.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The check whether a catalog reflects a list from the API server. */
class CatalogReachTest {
  private static final Duration AT_ONCE = Duration.ZERO;
  private static final Duration LONG = Duration.ofSeconds(30);

  private final LiveCatalog catalog = new LiveCatalog("berth-system");

  private static HasMetadata binding(String name, long generation, long version) {
    return resource(
        """
        kind: SchedulerConfigBinding
        metadata: {namespace: team, name: %1$s, uid: uid-%1$s, generation: %2$d, resourceVersion: "%3$d"}
        spec: {schedulingPolicy: p%2$d}
        """
            .formatted(name, generation, version));
  }

  private static HasMetadata namespace(String name, String labels, long version) {
    return resource(
        "{kind: Namespace, metadata: {name: %s, uid: uid-%s, resourceVersion: \"%d\", labels: {%s}}}"
            .formatted(name, name, version, labels));
  }

  private static ListedState list(long version, HasMetadata... objects) {
    return new ListedState(
        "SchedulerConfigBinding",
        Optional.of("team"),
        Optional.empty(),
        version,
        List.of(objects).stream().map(ObjectVersion::of).toList());
  }

  private boolean reaches(ListedState listed) throws InterruptedException {
    return catalog.awaitAll(List.of(listed), AT_ONCE);
  }

  @Test
  void aBindingThatHasNotCome_isMissed() throws InterruptedException {
    ListedState listed = list(9, binding("a", 1, 5));

    assertThat(reaches(listed)).isFalse();
    catalog.put(binding("a", 1, 5));
    assertThat(reaches(listed)).isTrue();
  }

  @Test
  void aChangeThatHasNotCome_isMissedAndANewerOneWillDo() throws InterruptedException {
    catalog.put(binding("a", 1, 5));

    assertThat(reaches(list(9, binding("a", 2, 8)))).isFalse();
    catalog.put(binding("a", 3, 12));
    assertThat(reaches(list(9, binding("a", 2, 8)))).isTrue();
  }

  @Test
  void aChangeOfStatusAlone_isNotWaitedFor() throws InterruptedException {
    catalog.put(binding("a", 1, 5));

    assertThat(reaches(list(9, binding("a", 1, 8)))).isTrue();
  }

  @Test
  void aBindingThatIsGoneByThen_hasToGo() throws InterruptedException {
    catalog.put(binding("a", 1, 5));

    assertThat(reaches(list(9))).isFalse();
    catalog.remove(binding("a", 1, 5));
    assertThat(reaches(list(9))).isTrue();
  }

  @Test
  void aBindingThatCameAfterTheListMayBeThere() throws InterruptedException {
    catalog.put(binding("a", 1, 12));

    assertThat(reaches(list(9))).isTrue();
  }

  @Test
  void bindingsOfOtherNamespaces_areNotTheListsBusiness() throws InterruptedException {
    catalog.put(
        resource(
            "{kind: SchedulerConfigBinding, metadata: {namespace: other, name: a, generation: 1,"
                + " resourceVersion: \"5\"}, spec: {schedulingPolicy: p}}"));

    assertThat(reaches(list(9))).isTrue();
  }

  @Test
  void labelsOfANamespace_areComparedByItsVersion() throws InterruptedException {
    catalog.put(namespace("team", "tier: iron", 5));
    catalog.put(namespace("other", "tier: iron", 6));
    ListedState listed =
        new ListedState(
            "Namespace",
            Optional.empty(),
            Optional.of("team"),
            9,
            List.of(ObjectVersion.of(namespace("team", "tier: gold", 8))));

    assertThat(reaches(listed)).isFalse();
    catalog.put(namespace("team", "tier: gold", 8));
    assertThat(reaches(listed)).isTrue();
    assertThat(catalog.get().namespaceLabels("team")).containsEntry("tier", "gold");
  }

  @Test
  void whoWaits_isWokenWhenItHasCome() throws InterruptedException {
    ListedState listed = list(9, binding("a", 1, 5));
    Thread informer = Thread.ofVirtual().start(() -> catalog.put(binding("a", 1, 5)));

    assertThat(catalog.awaitAll(List.of(listed), LONG)).isTrue();
    assertThat(catalog.get().bindingKeys()).containsExactly(new BindingKey("team", "a"));
    informer.join();
  }
}
