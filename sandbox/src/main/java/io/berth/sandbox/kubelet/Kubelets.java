package io.berth.sandbox.kubelet;

import io.berth.sandbox.loop.StoreFeed;
import io.berth.sandbox.rest.ClusterApi;
import io.berth.sandbox.store.StoredObject;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;

/**
 * The simulated kubelets of all nodes. A single event loop processes pod changes, node changes, and
 * timers, so the cost depends on the activity and hardly on the number of nodes, even with 5,000
 * nodes.
 *
 * <p>The containers of a pod with the annotation {@value #RUN_FOR} (for example {@code 5s}) exit
 * after that time, with the exit code in {@value #EXIT_CODE}; other pods run until they are
 * deleted. While a node has the annotation {@value #SILENT} set to {@code true}, its kubelet
 * behaves as if it were disconnected.
 */
public final class Kubelets implements AutoCloseable {
  /** Pod annotation: the time after which the containers exit on their own. */
  public static final String RUN_FOR = "sandbox.berth.io/run-for";

  /** Pod annotation: the exit code of containers that exit on their own; 0 by default. */
  public static final String EXIT_CODE = "sandbox.berth.io/exit-code";

  /**
   * Pod annotation: the time that containers take to stop after SIGTERM; by default {@link
   * KubeletOptions#stopLatency()}.
   */
  public static final String STOPS_AFTER = "sandbox.berth.io/stops-after";

  /** Node annotation: {@code true} simulates a kubelet that is disconnected from the cluster. */
  public static final String SILENT = "sandbox.berth.io/silent";

  private final Loop loop = new Loop("kubelets");
  private final KubeletParts kubelet;
  private final PodLife podLife;
  private final Map<String, NodeState> byName = new HashMap<>();
  private final Heartbeats heartbeats;
  private final StoreFeed nodeFeed;
  private final StoreFeed podFeed;
  private int nextNode = 1;

  private Kubelets(ClusterApi api, KubeletOptions options, Clock clock) {
    this.kubelet = new KubeletParts(api, options, clock, loop);
    this.podLife = new PodLife(kubelet);
    this.heartbeats = new Heartbeats(kubelet, byName);
    loop.add(heartbeats::start);
    this.nodeFeed =
        StoreFeed.start(
            api.store(),
            kubelet.nodes.storage(),
            enqueueing(this::nodeUpserted, this::nodeRemoved));
    this.podFeed =
        StoreFeed.start(
            api.store(), kubelet.pods.storage(), enqueueing(this::podUpserted, this::podRemoved));
  }

  /** Starts kubelets for all existing and future nodes. */
  public static Kubelets start(ClusterApi api, KubeletOptions options, Clock clock) {
    Kubelets kubelets = new Kubelets(api, options, clock);
    kubelets.loop.start();
    return kubelets;
  }

  private interface Change {
    void of(StoredObject object);
  }

  private StoreFeed.Listener enqueueing(Change upserted, Change removed) {
    return new StoreFeed.Listener() {
      @Override
      public void upserted(StoredObject object) {
        loop.add(() -> upserted.of(object));
      }

      @Override
      public void removed(StoredObject object) {
        loop.add(() -> removed.of(object));
      }
    };
  }

  private NodeState state(String name) {
    return byName.computeIfAbsent(name, ignored -> new NodeState(nextNode++));
  }

  private void nodeUpserted(StoredObject stored) {
    NodeState state = state(stored.key().name());
    boolean worked = state.works();
    state.node = stored;
    state.silent =
        stored.json().path("metadata").path("annotations").path(SILENT).asText().equals("true");
    if (state.works() && !worked) {
      if (state.registered) {
        heartbeats.report(state);
      } else {
        register(state, stored);
      }
      heartbeats.renew(state);
      state.takeUnseen().forEach(pod -> podLife.changed(state, pod));
      state.catchUp();
    } else if (state.works() && SimulatedNode.lagsBehindCapacity(stored.json())) {
      kubelet
          .writer
          .change(
              kubelet.nodes, stored.key(), stored.uid(), "status", SimulatedNode::followCapacity)
          .ifPresent(written -> state.node = written);
    }
  }

  private void register(NodeState state, StoredObject stored) {
    state.registered = true;
    kubelet
        .writer
        .change(
            kubelet.nodes,
            stored.key(),
            stored.uid(),
            "status",
            node -> SimulatedNode.report(node, state.number, kubelet.now(), kubelet.release))
        .ifPresent(written -> state.node = written);
  }

  private void nodeRemoved(StoredObject stored) {
    byName.remove(stored.key().name());
  }

  private void podUpserted(StoredObject stored) {
    String nodeName = nodeName(stored);
    if (nodeName.isEmpty()) {
      return;
    }
    NodeState state = state(nodeName);
    if (state.works()) {
      podLife.changed(state, stored);
    } else {
      state.keep(stored);
    }
  }

  private void podRemoved(StoredObject stored) {
    NodeState state = byName.get(nodeName(stored));
    if (state != null) {
      state.forget(stored.key());
      podLife.gone(state, stored);
    }
  }

  private String nodeName(StoredObject pod) {
    return pod.field(kubelet.pods.storage().fieldPosition("spec.nodeName"));
  }

  /** Stops all kubelets. Their pods are left unchanged. */
  @Override
  public void close() {
    nodeFeed.close();
    podFeed.close();
    loop.close();
  }
}
