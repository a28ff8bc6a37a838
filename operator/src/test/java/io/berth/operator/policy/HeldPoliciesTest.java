package io.berth.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.PodModel;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.Subscription;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.fixtures.ExpectedLog;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The policy that a binding with {@code podOverrides: Deny} enforces in the engine. */
class HeldPoliciesTest {
  private static final String OPERATOR = "berth-system";

  private final KubernetesClient client =
      new KubernetesClientBuilder().withConfig(Config.empty()).build();
  private final ClusterFeed feed =
      new ClusterFeed(client, OPERATOR, WatchTimes.defaults(), failure -> {});
  private final LiveCatalog catalog = new LiveCatalog(OPERATOR);
  private final HeldPolicies held = new HeldPolicies(feed, catalog, Set.of("berth"));

  @AfterEach
  void close() {
    held.close();
    feed.close();
    client.close();
  }

  private void applyPoolBinding() {
    catalog.put(
        object(
            Namespace.class,
            """
            metadata: {name: team, uid: u1, resourceVersion: "1", labels: {kubernetes.io/metadata.name: team}}
            """));
    catalog.put(
        object(
            SchedulingPolicy.class,
            """
            metadata: {name: pool, uid: u2, resourceVersion: "2"}
            spec: {}
            """));
    catalog.put(
        object(
            SchedulerConfigBinding.class,
            """
            metadata: {name: all, namespace: berth-system, uid: u3, resourceVersion: "3"}
            spec:
              namespaceSelector: {}
              schedulingPolicy: pool
              podOverrides: Deny
            """));
  }

  private static <T extends HasMetadata> T object(Class<T> type, String yaml) {
    return Serialization.unmarshal(yaml, type);
  }

  private static Pod pod(String policy) {
    return pod("web", policy);
  }

  private static Pod pod(String name, String policy) {
    return object(
        Pod.class,
        """
        metadata:
          name: %s
          namespace: team
          uid: %s-4
          resourceVersion: "4"
          annotations: {sched.cloud.ctrip.com/policy: "%s"}
        spec:
          schedulerName: berth
          containers: [{name: c, image: busybox}]
        status: {phase: Pending}
        """
            .formatted(name, name, policy));
  }

  /** Returns the events of an engine that knows the pod from before the binding was created. */
  private List<ClusterEvent> subscribedBeforeTheBinding() {
    List<ClusterEvent> events = new CopyOnWriteArrayList<>();
    var _ = held.subscribe(events::add);
    feed.put(pod("of-its-own"));
    applyPoolBinding();
    return events;
  }

  private static List<String> policies(List<ClusterEvent> events) {
    return events.stream()
        .filter(ClusterEvent.PodUpserted.class::isInstance)
        .map(event -> ((ClusterEvent.PodUpserted) event).pod().policy())
        .toList();
  }

  @Test
  void aPendingPod_hasThePolicyOfTheBinding_whateverItsAnnotationSays() {
    applyPoolBinding();
    List<ClusterEvent> events = new CopyOnWriteArrayList<>();
    var _ = held.subscribe(events::add);

    feed.put(pod("of-its-own"));

    assertThat(policies(events)).containsExactly("pool");
  }

  @Test
  void anEngineThatReplacesAnother_isSentTheSamePolicy() {
    applyPoolBinding();
    var _ = held.subscribe(event -> {});
    feed.put(pod("of-its-own"));
    List<ClusterEvent> replayed = new CopyOnWriteArrayList<>();

    held.replay(replayed::add);

    assertThat(policies(replayed)).containsExactly("pool");
  }

  @Test
  void anEngineThatSubscribesBeforeALook_takesNoChangeOfPolicyFromOthers() {
    List<ClusterEvent> events = subscribedBeforeTheBinding();
    List<ClusterEvent> later = new CopyOnWriteArrayList<>();
    var _ = held.subscribe(later::add);
    held.look();

    assertThat(policies(events)).startsWith("of-its-own").endsWith("pool");
    assertThat(policies(later)).containsOnly("pool");
  }

  @Test
  void aReplayBeforeALook_takesNoChangeOfPolicyFromSubscribers() {
    List<ClusterEvent> events = subscribedBeforeTheBinding();
    held.replay(event -> {});
    held.look();

    assertThat(policies(events)).startsWith("of-its-own").endsWith("pool");
  }

  @Test
  @ExpectedLog("Enforcing the policy of a binding on pod")
  void aPodForWhichAChangeFails_delaysNoOther_andIsSentWithTheNextLook() {
    Set<String> sent = new CopyOnWriteArraySet<>();
    AtomicBoolean fails = new AtomicBoolean();
    var _ =
        held.subscribe(
            event -> {
              if (fails.getAndSet(false)) {
                throw new IllegalStateException("the first pod fails");
              }
              if (event instanceof ClusterEvent.PodUpserted(PodModel pod, var _)
                  && pod.policy().equals("pool")) {
                sent.add(pod.ref().name());
              }
            });
    feed.put(pod("one", "of-its-own"));
    feed.put(pod("two", "of-its-own"));
    applyPoolBinding();

    fails.set(true);
    held.look();
    assertThat(sent).hasSize(1);

    held.look();
    assertThat(sent).containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void subscriptionThatIsClosedTwice_takesNothingFromOthers() {
    Subscription ended = held.subscribe(event -> {});
    List<ClusterEvent> events = new CopyOnWriteArrayList<>();
    var _ = held.subscribe(events::add);
    ended.close();
    ended.close();
    held.start();
    feed.put(pod("of-its-own"));
    assertThat(policies(events)).containsExactly("of-its-own");

    applyPoolBinding();

    await().untilAsserted(() -> assertThat(policies(events)).endsWith("pool"));
  }
}
