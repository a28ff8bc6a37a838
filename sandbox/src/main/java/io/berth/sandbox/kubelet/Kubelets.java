package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.loop.ObjectWriter;
import io.berth.sandbox.loop.StoreFeed;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The kubelets of all nodes, as one loop: the thread takes changes of pods and nodes and due timers
 * from one queue, so five thousand nodes cost no more than what happens on them.
 *
 * <p>A pod with the annotation {@value #RUN_FOR} (such as {@code 5s}) ends after that time, with
 * the exit code of {@value #EXIT_CODE}; all others run until they are deleted.
 */
public final class Kubelets implements AutoCloseable {
  /** How long a pod's containers run before they end by themselves. */
  public static final String RUN_FOR = "sandbox.berth.io/run-for";

  /** The exit code with which they end; 0 unless given. */
  public static final String EXIT_CODE = "sandbox.berth.io/exit-code";

  private final ObjectWriter writer;
  private final EventRecorder events;
  private final KubeletOptions options;
  private final Clock clock;
  private final ResourceType pods;
  private final ResourceType nodes;
  private final LinkedBlockingQueue<Runnable> mailbox = new LinkedBlockingQueue<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>((left, right) -> Long.signum(left.atNanos - right.atNanos));
  private final Map<String, NodeState> byName = new HashMap<>();
  private final StoreFeed nodeFeed;
  private final StoreFeed podFeed;
  private final Thread thread;
  private int nextNode = 1;
  private int nextPod = 1;
  private volatile boolean closed;

  private record Timer(long atNanos, Runnable action) {}

  /** A pod that its kubelet has admitted, or refused. */
  private static final class PodState {
    final String uid;
    PodUse use;
    long generation;
    boolean running;
    boolean stopping;
    boolean ended;

    PodState(String uid, PodUse use) {
      this.uid = uid;
      this.use = use;
    }
  }

  private static final class NodeState {
    final int number;
    @Nullable StoredObject node;
    final Map<ObjectKey, PodState> pods = new LinkedHashMap<>();
    final Map<ObjectKey, StoredObject> early = new LinkedHashMap<>();

    NodeState(int number) {
      this.number = number;
    }
  }

  private Kubelets(ClusterApi api, KubeletOptions options, Clock clock) {
    this.writer = new ObjectWriter(api, "kubelet");
    this.events = new EventRecorder(writer, "kubelet", clock);
    this.options = options;
    this.clock = clock;
    this.pods = api.registry().builtIn("", "pods");
    this.nodes = api.registry().builtIn("", "nodes");
    this.thread = Thread.ofPlatform().daemon().name("kubelets").unstarted(this::run);
    this.nodeFeed =
        StoreFeed.start(api.store(), nodes.storage(), mail(this::nodeUpserted, this::nodeRemoved));
    this.podFeed =
        StoreFeed.start(api.store(), pods.storage(), mail(this::podUpserted, this::podRemoved));
  }

  /** Starts kubelets for all nodes that there are and will be. */
  public static Kubelets start(ClusterApi api, KubeletOptions options, Clock clock) {
    Kubelets kubelets = new Kubelets(api, options, clock);
    kubelets.thread.start();
    return kubelets;
  }

  private interface Change {
    void of(StoredObject object);
  }

  private StoreFeed.Listener mail(Change upserted, Change removed) {
    return new StoreFeed.Listener() {
      @Override
      public void upserted(StoredObject object) {
        mailbox.add(() -> upserted.of(object));
      }

      @Override
      public void removed(StoredObject object) {
        mailbox.add(() -> removed.of(object));
      }
    };
  }

  private void run() {
    try {
      while (!closed) {
        Runnable next;
        if (timers.isEmpty()) {
          next = mailbox.take();
        } else {
          long wait = timers.peek().atNanos - System.nanoTime();
          next = wait <= 0 ? timers.remove().action : mailbox.poll(wait, TimeUnit.NANOSECONDS);
        }
        if (next != null) {
          runOne(next);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void runOne(Runnable next) {
    try {
      next.run();
    } catch (RuntimeException e) {
      if (!closed) {
        System.getLogger(Kubelets.class.getName())
            .log(System.Logger.Level.WARNING, "a kubelet failed to write", e);
      }
    }
  }

  private void after(Duration delay, Runnable action) {
    if (delay.isZero()) {
      action.run();
    } else {
      timers.add(new Timer(System.nanoTime() + delay.toNanos(), action));
    }
  }

  private String now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private NodeState state(String name) {
    return byName.computeIfAbsent(name, ignored -> new NodeState(nextNode++));
  }

  private void nodeUpserted(StoredObject stored) {
    NodeState state = state(stored.key().name());
    boolean first = state.node == null;
    state.node = stored;
    if (first) {
      String uid = stored.uid();
      writer
          .change(
              nodes,
              stored.key(),
              uid,
              "status",
              node -> SimulatedNode.report(node, state.number, now()))
          .ifPresent(written -> state.node = written);
      Map<ObjectKey, StoredObject> waiting = new LinkedHashMap<>(state.early);
      state.early.clear();
      waiting.values().forEach(this::podUpserted);
    }
  }

  private void nodeRemoved(StoredObject stored) {
    byName.remove(stored.key().name());
  }

  private void podUpserted(StoredObject stored) {
    JsonNode pod = stored.json();
    String nodeName = pod.path("spec").path("nodeName").asText("");
    if (nodeName.isEmpty()) {
      return;
    }
    NodeState state = state(nodeName);
    if (state.node == null) {
      state.early.put(stored.key(), stored);
      return;
    }
    boolean deleted = pod.path("metadata").has("deletionTimestamp");
    String phase = pod.path("status").path("phase").asText("");
    boolean over = phase.equals("Succeeded") || phase.equals("Failed");
    PodState known = state.pods.get(stored.key());
    if (known != null && !known.uid.equals(stored.uid())) {
      state.pods.remove(stored.key());
      known = null;
    }
    if (known == null) {
      known = new PodState(stored.uid(), PodUse.of(pod));
      known.generation = pod.path("metadata").path("generation").asLong();
      known.ended = over;
      if (!over && !deleted) {
        admit(state, stored, pod, known);
      } else {
        state.pods.put(stored.key(), known);
      }
    } else if (over) {
      known.ended = true;
    } else if (known.running && !deleted) {
      resize(state, stored, pod, known);
    }
    if (deleted) {
      stop(stored, known);
    }
  }

  private void podRemoved(StoredObject stored) {
    String nodeName = stored.json().path("spec").path("nodeName").asText("");
    NodeState state = byName.get(nodeName);
    if (state != null) {
      state.early.remove(stored.key());
      PodState known = state.pods.get(stored.key());
      if (known != null && known.uid.equals(stored.uid())) {
        state.pods.remove(stored.key());
      }
    }
  }

  private void admit(NodeState state, StoredObject stored, JsonNode pod, PodState podState) {
    JsonNode node = state.node == null ? pod : state.node.json();
    var others =
        state.pods.values().stream().filter(each -> !each.ended).map(each -> each.use).toList();
    state.pods.put(stored.key(), podState);
    Optional<PodAdmission.Rejection> rejection =
        PodAdmission.check(pod, podState.use, node, others);
    if (rejection.isPresent()) {
      podState.ended = true;
      PodAdmission.Rejection why = rejection.get();
      events.onNode(pod, "Warning", why.reason(), why.message(), nodeName(pod));
      write(stored, tree -> PodStatuses.rejected(tree, why, now()));
      return;
    }
    String hostIp = hostIp(state);
    if (!options.startLatency().isZero()) {
      write(stored, tree -> PodStatuses.creating(tree, hostIp, now()));
    }
    String podIp = podIp();
    after(options.startLatency(), () -> running(stored, podState, hostIp, podIp));
  }

  /** Gives a running pod the resources that its spec asks for by now, if the node has them. */
  private void resize(NodeState state, StoredObject stored, JsonNode pod, PodState podState) {
    long generation = pod.path("metadata").path("generation").asLong();
    if (generation == podState.generation) {
      return;
    }
    podState.generation = generation;
    PodUse wanted = PodUse.of(pod);
    if (wanted.requests().equals(podState.use.requests()) && PodStatuses.showsResources(pod)) {
      return;
    }
    JsonNode node = state.node == null ? pod : state.node.json();
    var others =
        state.pods.values().stream()
            .filter(each -> !each.ended && each != podState)
            .map(each -> each.use)
            .toList();
    Optional<PodAdmission.Rejection> tooMuch = PodAdmission.resources(wanted, node, others);
    if (tooMuch.isPresent()) {
      boolean ever = PodAdmission.resources(wanted, node, List.of()).isEmpty();
      String message = tooMuch.get().message();
      writer.change(
          pods,
          stored.key(),
          stored.uid(),
          "status",
          tree ->
              PodStatuses.resizePending(tree, ever ? "Deferred" : "Infeasible", message, now()));
      return;
    }
    podState.use = wanted;
    write(stored, PodStatuses::resized);
  }

  private static String hostIp(NodeState state) {
    JsonNode addresses =
        state.node == null
            ? MissingNode.getInstance()
            : state.node.json().path("status").path("addresses");
    for (JsonNode address : addresses) {
      if (address.path("type").asText().equals("InternalIP")) {
        return address.path("address").asText();
      }
    }
    return SimulatedNode.address(state.number);
  }

  private String podIp() {
    int number = nextPod++;
    return "10." + ((number >> 16) & 127) + "." + ((number >> 8) & 255) + "." + (number & 255);
  }

  private void running(StoredObject stored, PodState state, String hostIp, String podIp) {
    if (state.stopping || state.ended) {
      return;
    }
    JsonNode pod = stored.json();
    write(stored, tree -> PodStatuses.running(tree, hostIp, podIp, now()));
    state.running = true;
    if (options.events()) {
      for (JsonNode container : pod.path("spec").path("containers")) {
        String image = container.path("image").asText();
        events.onNode(
            pod,
            "Normal",
            "Pulled",
            "Container image \"" + image + "\" already present on machine",
            nodeName(pod));
        events.onNode(pod, "Normal", "Created", "Container created", nodeName(pod));
        events.onNode(pod, "Normal", "Started", "Container started", nodeName(pod));
      }
    }
    JsonNode annotations = pod.path("metadata").path("annotations");
    if (annotations.has(RUN_FOR)) {
      int exitCode = annotations.path(EXIT_CODE).asInt(0);
      after(
          Durations.parse(annotations.path(RUN_FOR).asText()), () -> end(stored, state, exitCode));
    }
  }

  private void end(StoredObject stored, PodState state, int exitCode) {
    if (!state.stopping && !state.ended) {
      state.ended = true;
      write(stored, tree -> PodStatuses.ended(tree, exitCode, now()));
    }
  }

  private void stop(StoredObject stored, PodState podState) {
    if (podState.stopping) {
      return;
    }
    podState.stopping = true;
    JsonNode pod = stored.json();
    if (options.events() && !podState.ended) {
      for (JsonNode container : pod.path("spec").path("containers")) {
        events.onNode(
            pod,
            "Normal",
            "Killing",
            "Stopping container " + container.path("name").asText(),
            nodeName(pod));
      }
    }
    Duration grace =
        Duration.ofSeconds(pod.path("metadata").path("deletionGracePeriodSeconds").asLong(0));
    Duration patience = options.stopLatency().compareTo(grace) < 0 ? options.stopLatency() : grace;
    Duration delay = podState.ended ? Duration.ZERO : patience;
    after(
        delay,
        () -> {
          podState.ended = true;
          writer.delete(pods, stored.key(), podState.uid, DeleteOptions.now());
        });
  }

  private static String nodeName(JsonNode pod) {
    return pod.path("spec").path("nodeName").asText();
  }

  private interface StatusChange {
    void apply(ObjectNode pod);
  }

  private void write(StoredObject stored, StatusChange change) {
    writer.change(
        pods,
        stored.key(),
        stored.uid(),
        "status",
        pod -> {
          change.apply(pod);
          return true;
        });
  }

  /** Stops all kubelets; their pods stay as they are. */
  @Override
  public void close() {
    closed = true;
    nodeFeed.close();
    podFeed.close();
    thread.interrupt();
  }
}
