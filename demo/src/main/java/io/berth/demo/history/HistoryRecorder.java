package io.berth.demo.history;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.AnyNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.Watchable;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A recorder of a history from watches of the API server. All watches start at the resourceVersion
 * of a list, so no change is missed. If a watch ends permanently, the history is incomplete and
 * cannot be used.
 */
public final class HistoryRecorder implements AutoCloseable {
  private final InstantSource clock;
  private final ObservedStates states;
  private final Predicate<String> ourNodes;
  private final Predicate<String> namespaces;
  private final Object lock = new Object();
  private final List<ClusterChange> changes = new ArrayList<>();
  private final List<Watch> watches = new ArrayList<>();
  private @Nullable String gap;

  /**
   * Starts recording.
   *
   * @param namespaces selects the namespaces whose pods and resource claims are recorded, in
   *     addition to all pods on the nodes
   * @param ourNodes selects the nodes by name
   * @param states converts the objects
   */
  public HistoryRecorder(
      KubernetesClient client,
      Predicate<String> namespaces,
      Predicate<String> ourNodes,
      ObservedStates states,
      InstantSource clock) {
    this.clock = clock;
    this.namespaces = namespaces;
    this.ourNodes = ourNodes;
    this.states = states;
    record(client.nodes(), Node.class, this::nodeChange);
    record(client.pods().inAnyNamespace(), Pod.class, this::podChange);
    if (client.supports("resource.k8s.io/v1", "ResourceClaim")) {
      record(
          client.resources(ResourceClaim.class).inAnyNamespace(),
          ResourceClaim.class,
          this::claimChange);
    }
  }

  /**
   * Returns the history up to now.
   *
   * @throws IllegalStateException if changes were missed
   */
  public History history(List<FaultSpan> faults) {
    synchronized (lock) {
      if (gap != null) {
        throw new IllegalStateException("the history has a gap: " + gap);
      }
      return new History(changes, faults, clock.instant());
    }
  }

  @Override
  public void close() {
    watches.forEach(Watch::close);
  }

  private <T extends HasMetadata, L extends KubernetesResourceList<T>, R extends Resource<T>>
      void record(
          AnyNamespaceOperation<T, L, R> objects,
          Class<T> kind,
          BiFunction<T, Boolean, @Nullable ClusterChange> change) {
    L list = objects.list();
    list.getItems().forEach(object -> add(change.apply(object, false)));
    watches.add(
        watch(objects, list.getMetadata().getResourceVersion(), kind.getSimpleName(), change));
  }

  private <T extends HasMetadata> Watch watch(
      Watchable<T> objects,
      String from,
      String kind,
      BiFunction<T, Boolean, @Nullable ClusterChange> change) {
    return objects.watch(
        new ListOptionsBuilder().withResourceVersion(from).build(),
        new Watcher<T>() {
          @Override
          public void eventReceived(Action action, T object) {
            switch (action) {
              case ADDED, MODIFIED -> add(change.apply(object, false));
              case DELETED -> add(change.apply(object, true));
              default -> {} // bookmarks change nothing
            }
          }

          @Override
          public void onClose(WatcherException cause) {
            synchronized (lock) {
              gap = "the watch of kind " + kind + " ended: " + cause.getMessage();
            }
          }
        });
  }

  private void add(@Nullable ClusterChange change) {
    if (change != null) {
      synchronized (lock) {
        changes.add(change);
      }
    }
  }

  private @Nullable ClusterChange podChange(Pod pod, boolean deleted) {
    PodState state = states.of(pod);
    return namespaces.test(state.namespace()) || state.node().filter(ourNodes).isPresent()
        ? new ClusterChange.PodChange(version(pod), now(), deleted, state)
        : null;
  }

  private @Nullable ClusterChange nodeChange(Node node, boolean deleted) {
    return ourNodes.test(node.getMetadata().getName())
        ? new ClusterChange.NodeChange(version(node), now(), deleted, states.of(node))
        : null;
  }

  private @Nullable ClusterChange claimChange(ResourceClaim claim, boolean deleted) {
    return namespaces.test(claim.getMetadata().getNamespace())
        ? new ClusterChange.ClaimChange(version(claim), now(), deleted, ObservedStates.of(claim))
        : null;
  }

  private Instant now() {
    return clock.instant();
  }

  private static long version(HasMetadata object) {
    return Long.parseLong(object.getMetadata().getResourceVersion());
  }
}
