package io.berth.benchmarks.workload;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.devices.ClaimSpec;
import io.berth.engine.devices.CounterSet;
import io.berth.engine.devices.Device;
import io.berth.engine.devices.DeviceAllocation;
import io.berth.engine.devices.DeviceAsk;
import io.berth.engine.devices.DeviceAttribute;
import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.devices.DeviceClass;
import io.berth.engine.devices.DeviceConstraint;
import io.berth.engine.devices.DeviceRequest;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.fixtures.Slices;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.PodModel;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Pods with claims of templates that come and go, on nodes with eight devices of which 85 % are
 * allocated. An event for a claim, and those that its pod's Binding causes, are part of a pod's
 * time.
 */
final class ClaimsWorkload {
  /** The kinds of claims. */
  enum Kind {
    /** One, two, four, or eight devices. */
    CLAIMS("Claims"),
    /** Two or four devices of one NVLink group. */
    MATCH("ClaimsMatch"),
    /** Partitions of devices, which share counters. */
    PARTITION("ClaimsPartition");

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  private static final int NODES = 1_000;
  private static final int DEVICES = 8;
  private static final double ALLOCATED = 0.85;
  private static final int MEASURED = 20_000;
  private static final String DRIVER = "gpu.example.com";
  private static final String NAMESPACE = "default";

  /** The parts of a device by the share in sevenths that each of its partitions has. */
  private static final int[] SEVENTHS = {7, 4, 3, 2, 1};

  private record Running(PodModel pod, DeviceClaim claim, int load) {}

  private final Kind kind;
  private final Random random;
  private final Cluster cluster = new Cluster();
  private final List<Running> running = new ArrayList<>();
  private long load;
  private int number;

  private ClaimsWorkload(Kind kind, long seed) {
    this.kind = kind;
    this.random = new Random(seed);
  }

  static Measurement run(Kind kind, long seed) {
    return new ClaimsWorkload(kind, seed).run();
  }

  private Measurement run() {
    String sort = kind == Kind.PARTITION ? "mig" : "gpu";
    upsert(
        new DeviceClass(
            "gpu",
            Instant.EPOCH,
            List.of(
                "device.driver == '%s' && device.attributes['%s'].type == '%s'"
                    .formatted(DRIVER, DRIVER, sort)),
            List.of(),
            Optional.empty()));
    for (int i = 0; i < NODES; i++) {
      cluster.addNode(Cluster.node(i, 3, 128_000, 768L << 30, 110));
      slices("node-" + i);
    }
    long capacity = (long) NODES * DEVICES * (kind == Kind.PARTITION ? 7 : 1);
    while (load < ALLOCATED * capacity) {
      place(new long[1], 0);
    }
    long[] nanos = new long[MEASURED];
    Meter meter = Meter.start(cluster);
    for (int i = 0; i < MEASURED; i++) {
      while (load >= ALLOCATED * capacity) {
        long start = System.nanoTime();
        end(running.remove(random.nextInt(running.size())));
        nanos[i] += System.nanoTime() - start;
      }
      place(nanos, i);
    }
    return meter.stop(kind.title(), nanos, cluster);
  }

  private void upsert(io.berth.engine.model.DeviceObject object) {
    cluster.apply(new ClusterEvent.DevicesUpserted(object));
  }

  // ---------------------------------------------------------------------------------- devices

  private void slices(String node) {
    List<Device> devices = new ArrayList<>();
    List<CounterSet> counters = new ArrayList<>();
    for (int i = 0; i < DEVICES; i++) {
      if (kind == Kind.PARTITION) {
        counters.add(new CounterSet("gpu-" + i, slots(0, 7)));
        for (int size : SEVENTHS) {
          for (int from = 0; from + size <= 7; from += size) {
            devices.add(partition(node, i, from, size));
          }
        }
      } else {
        devices.add(
            Device.of(
                "gpu-" + i,
                Map.of(
                    "type", new DeviceAttribute.Text("gpu"),
                    "index", new DeviceAttribute.Int(i),
                    "uuid", new DeviceAttribute.Text(node + "/" + i),
                    "nvlink", new DeviceAttribute.Int(i / 4)),
                Map.of(),
                List.of(),
                false));
      }
    }
    int slices = counters.isEmpty() ? 1 : 2;
    if (!counters.isEmpty()) {
      upsert(Slices.ofNode(DRIVER, node, "counters", slices, List.of(), counters));
    }
    upsert(Slices.ofNode(DRIVER, node, "devices", slices, devices, List.of()));
  }

  private static Map<String, BigDecimal> slots(int from, int to) {
    Map<String, BigDecimal> slots = new java.util.HashMap<>();
    for (int i = from; i < to; i++) {
      slots.put("slice-" + i, BigDecimal.ONE);
    }
    return slots;
  }

  private static Device partition(String node, int gpu, int from, int size) {
    String name = "gpu-%d-%dg-%d".formatted(gpu, size, from);
    return Device.of(
        name,
        Map.of(
            "type", new DeviceAttribute.Text("mig"),
            "profile", new DeviceAttribute.Text(size + "g"),
            "uuid", new DeviceAttribute.Text(node + "/" + name)),
        Map.of(),
        List.of(new CounterSet("gpu-" + gpu, slots(from, from + size))),
        false);
  }

  // ---------------------------------------------------------------------------------- pods

  private record Wanted(ClaimSpec spec, int load) {}

  private Wanted wanted() {
    return switch (kind) {
      case CLAIMS -> {
        int count = 1 << random.nextInt(4);
        yield new Wanted(spec(count, List.of(), List.of()), count);
      }
      case MATCH -> {
        int count = 2 << random.nextInt(2);
        yield new Wanted(
            spec(
                count,
                List.of(),
                List.of(
                    new DeviceConstraint(
                        List.of(), DeviceConstraint.Kind.MATCH, DRIVER + "/nvlink"))),
            count);
      }
      case PARTITION -> {
        int size = SEVENTHS[random.nextInt(SEVENTHS.length)];
        yield new Wanted(
            spec(
                1,
                List.of("device.attributes['%s'].profile == '%dg'".formatted(DRIVER, size)),
                List.of()),
            size);
      }
    };
  }

  private static ClaimSpec spec(
      int count, List<String> selectors, List<DeviceConstraint> constraints) {
    DeviceAsk ask =
        new DeviceAsk(
            "gpus", "gpu", DeviceAsk.EXACT_COUNT, count, false, selectors, List.of(), Map.of());
    return new ClaimSpec(
        List.of(new DeviceRequest("gpus", false, List.of(ask))), constraints, List.of());
  }

  /** Adds a pod with its claim, and places it; without a place, both are removed again. */
  private void place(long[] nanos, int at) {
    Wanted wanted = wanted();
    String name = "pod-" + number++;
    PodModel plain = Pods.pod(name).policy("bench").milliCpu(100).build();
    DeviceClaim claim =
        new DeviceClaim(
            NAMESPACE,
            name + "-gpu",
            "uid-claim-" + name,
            false,
            plain.ref().uid(),
            false,
            wanted.spec(),
            Optional.empty(),
            Optional.empty(),
            DeviceClaim.Readiness.READY,
            Set.of());
    PodModel pod =
        Pods.from(plain)
            .devices(
                new PodDevices(
                    List.of(new PodClaim.FromTemplate(claim.name(), plain.ref())), List.of()))
            .build();
    long start = System.nanoTime();
    upsert(claim);
    cluster.addPod(pod);
    Decision decision = cluster.decide();
    if (!(decision instanceof Decision.Placed placed)) {
      cluster.removePod(pod.ref());
      cluster.apply(new ClusterEvent.DevicesRemoved(DeviceClaim.KIND, NAMESPACE, claim.name()));
      nanos[at] += System.nanoTime() - start;
      end(running.remove(random.nextInt(running.size())));
      place(nanos, at);
      return;
    }
    ClaimAllocation step = (ClaimAllocation) placed.preBind().getFirst();
    DeviceClaim allocated = allocated(claim, step.allocation().orElseThrow(), pod);
    upsert(allocated);
    cluster.apply(new ClusterEvent.BindingConfirmed(pod.ref()));
    PodModel bound = Pods.from(pod).on(placed.nodeName()).build();
    cluster.addPod(bound);
    nanos[at] += System.nanoTime() - start;
    running.add(new Running(bound, allocated, wanted.load()));
    load += wanted.load();
  }

  private static DeviceClaim allocated(
      DeviceClaim claim, DeviceAllocation allocation, PodModel pod) {
    return new DeviceClaim(
        claim.namespace(),
        claim.name(),
        claim.uid(),
        false,
        claim.controllerUid(),
        false,
        claim.spec(),
        Optional.of(allocation),
        Optional.empty(),
        DeviceClaim.Readiness.READY,
        Set.of(pod.ref().uid()));
  }

  private void end(Running pod) {
    cluster.removePod(pod.pod().ref());
    cluster.apply(new ClusterEvent.DevicesRemoved(DeviceClaim.KIND, NAMESPACE, pod.claim().name()));
    load -= pod.load();
  }
}
