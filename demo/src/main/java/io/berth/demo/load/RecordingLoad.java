package io.berth.demo.load;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.operator.recording.Recorder;
import io.berth.operator.recording.RecordingFiles;
import io.berth.operator.recording.RecordingOptions;
import io.berth.operator.schedule.EngineObserver;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * Pods of 500 workloads that are created, placed, bound, and deleted, as the engine's thread sees
 * them: three events and one decision for each pod.
 */
public final class RecordingLoad {
  private static final int WORKLOADS = 500;
  private static final int PODS_PER_NODE = 20;
  private static final long BYTES = 1L << 30;
  private static final String POLICY = "usual";

  private final Path directory;
  private final int room;
  private final List<ClusterEvent> before = new ArrayList<>();
  private final List<ClusterEvent.PodUpserted> pods = new ArrayList<>();

  /**
   * The result of a run.
   *
   * @param cpuMicrosPerPod the processor time of the engine's thread for a pod, in microseconds
   * @param bytesPerPod the size of the recording, divided by the number of pods
   * @param gaps the number of gaps in the recording
   */
  public record Run(double podsPerSecond, double cpuMicrosPerPod, double bytesPerPod, int gaps) {}

  /**
   * Creates the objects.
   *
   * @param directory an existing directory for the recordings
   */
  public RecordingLoad(int nodes, int pods, Path directory) {
    this.directory = directory;
    this.room = nodes * PODS_PER_NODE;
    KubeEvents events = new KubeEvents();
    PolicyCompilation compiled =
        new PolicyCompiler().compile(POLICY, "1", SchedulingPolicySpec.defaults());
    before.add(new ClusterEvent.PolicyServed(((PolicyCompilation.Compiled) compiled).policy()));
    before.add(new ClusterEvent.DefaultPolicyChanged(POLICY));
    for (int i = 0; i < nodes; i++) {
      before.add(events.upserted(node(i)));
    }
    for (int i = 0; i < pods; i++) {
      this.pods.add((ClusterEvent.PodUpserted) events.upserted(pod(i)));
    }
  }

  private static Node node(int number) {
    String name = "node-" + number;
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .withUid("uid-" + name)
        .withLabels(
            Map.of("kubernetes.io/hostname", name, "topology.kubernetes.io/zone", "z" + number % 3))
        .endMetadata()
        .withNewStatus()
        .withAllocatable(
            Map.of(
                "cpu", new Quantity("64"),
                "memory", new Quantity("256Gi"),
                "pods", new Quantity("110")))
        .endStatus()
        .build();
  }

  private static Pod pod(int number) {
    String app = "app-" + number % WORKLOADS;
    String name = app + "-" + Integer.toHexString(number);
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("team-" + number % 20)
        .withUid("00000000-0000-4000-8000-%012d".formatted(number))
        .withLabels(Map.of("app", app, "pod-template-hash", Integer.toHexString(app.hashCode())))
        .withCreationTimestamp("2026-01-01T00:00:00Z")
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .addNewContainer()
        .withName("main")
        .withImage("registry.example.com/" + app + ":1")
        .withNewResources()
        .withRequests(
            Map.of(
                "cpu", new Quantity(100 + number % WORKLOADS + "m"),
                "memory", new Quantity("512Mi")))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  /** Runs all pods through a new engine. */
  public Run run(boolean isRecorded) throws IOException {
    for (Path old : RecordingFiles.in(directory)) {
      Files.delete(old);
    }
    Times times;
    int gaps = 0;
    if (isRecorded) {
      try (Recorder recorder =
          new Recorder(new RecordingOptions(directory, BYTES), System::nanoTime)) {
        times = place(recorder);
        gaps = recorder.isBehind() ? 1 : 0;
      }
    } else {
      times = place(EngineObserver.NONE);
    }
    long bytes = 0;
    for (Path file : RecordingFiles.in(directory)) {
      bytes += Files.size(file);
    }
    return new Run(
        pods.size() * 1e9 / times.nanos(),
        times.cpuNanos() / 1e3 / pods.size(),
        (double) bytes / pods.size(),
        gaps);
  }

  private record Times(long nanos, long cpuNanos) {}

  private Times place(EngineObserver observer) {
    Engine engine = new Engine(EngineOptions.defaults());
    observer.begun(engine.options());
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    for (ClusterEvent event : before) {
      observer.applied(event, now);
      engine.apply(event, now);
    }
    Deque<ClusterEvent.PodUpserted> running = new ArrayDeque<>();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long cpuBefore = threads.getCurrentThreadCpuTime();
    long began = System.nanoTime();
    for (ClusterEvent.PodUpserted pod : pods) {
      now = now.plusNanos(50_000);
      apply(pod, now, engine, observer);
      Outcome outcome = engine.next(now);
      observer.answered(outcome, now);
      if (outcome instanceof Decision.Placed placed) {
        apply(new ClusterEvent.BindingConfirmed(placed.pod()), now, engine, observer);
        running.add(pod);
      } else if (outcome instanceof Idle) {
        throw new IllegalStateException("a pod was not decided");
      }
      if (running.size() > room) {
        apply(new ClusterEvent.PodRemoved(running.poll().pod().ref()), now, engine, observer);
      }
    }
    return new Times(System.nanoTime() - began, threads.getCurrentThreadCpuTime() - cpuBefore);
  }

  private static void apply(
      ClusterEvent event, Instant now, Engine engine, EngineObserver observer) {
    observer.applied(event, now);
    engine.apply(event, now);
  }
}
