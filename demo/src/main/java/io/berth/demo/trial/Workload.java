package io.berth.demo.trial;

import io.berth.crds.Annotations;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A random workload of pods, derived from a seed: pods for several schedulers and of several sizes,
 * some for one pool, some with a high priority, some in queues, some with a device by a claim, and
 * one in a hundred that fits on no node. Each pod has an annotation with its run time.
 */
final class Workload {
  /** Annotation for the time, in milliseconds, that a pod runs after it is bound. */
  static final String RUN_MILLIS = "berth.io/trial-run-millis";

  private static final List<String> CPUS = List.of("250m", "500m", "500m", "1", "1", "2");
  private static final String MEMORY = "256Mi";
  private static final String TOO_LARGE = "64";
  private static final int ONE_IN_TOO_LARGE = 100;
  private static final double HIGH_SHARE = 0.25;
  private static final double POOL_SHARE = 0.3;
  private static final double QUEUE_SHARE = 0.25;
  private static final double CLAIM_SHARE = 0.2;

  /** The beginning of the names of the schedulers that give devices to claims. */
  private static final String GIVES_DEVICES = "berth";

  /** The scheduler whose pods may be in queues: no other one can exceed their limits with it. */
  private static final String IN_QUEUES = "berth";

  private static final int SHORTEST_RUN_MILLIS = 4_000;
  private static final int LONGEST_RUN_MILLIS = 20_000;

  private final KubernetesClient client;
  private final TrialGround ground;
  private final List<String> schedulers;
  private final Random random;
  private int created;

  /**
   * @param schedulers the schedulerNames, from which each pod gets one at random; a name that is
   *     listed twice is selected twice as often
   */
  Workload(KubernetesClient client, TrialGround ground, List<String> schedulers, long seed) {
    this.client = client;
    this.ground = ground;
    this.schedulers = List.copyOf(schedulers);
    this.random = new Random(seed);
  }

  /** Creates a pod. */
  void step() {
    client.resource(next()).create();
  }

  private Pod next() {
    boolean tooLarge = random.nextInt(ONE_IN_TOO_LARGE) == 0;
    String cpu = tooLarge ? TOO_LARGE : CPUS.get(random.nextInt(CPUS.size()));
    String scheduler = schedulers.get(random.nextInt(schedulers.size()));
    PodBuilder pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace(ground.namespace())
            .withName("pod-%05d".formatted(++created))
            .addToAnnotations(
                RUN_MILLIS,
                Integer.toString(random.nextInt(SHORTEST_RUN_MILLIS, LONGEST_RUN_MILLIS)))
            .endMetadata()
            .withNewSpec()
            .withSchedulerName(scheduler)
            .withTerminationGracePeriodSeconds(1L)
            .addToNodeSelector(TrialGround.MARK, ground.id())
            .addNewToleration()
            .withKey(TrialGround.MARK)
            .withOperator("Exists")
            .endToleration()
            .addNewContainer()
            .withName("pause")
            .withImage("pause:3.10")
            .withNewResources()
            .withRequests(Map.of("cpu", new Quantity(cpu), "memory", new Quantity(MEMORY)))
            .endResources()
            .endContainer()
            .endSpec();
    if (random.nextDouble() < HIGH_SHARE) {
      pod.editSpec().withPriorityClassName(ground.highPriority()).endSpec();
    }
    double queue = random.nextDouble();
    boolean queued = scheduler.equals(IN_QUEUES) && queue < 2 * QUEUE_SHARE;
    if (queued) {
      pod.editMetadata()
          .addToLabels(
              Annotations.QUEUE_LABEL,
              queue < QUEUE_SHARE ? ground.guaranteedQueue() : ground.limitedQueue())
          .endMetadata();
    }
    if (random.nextDouble() < POOL_SHARE) {
      pod.editSpec()
          .addToNodeSelector(TrialGround.POOL_LABEL, random.nextBoolean() ? "even" : "odd")
          .endSpec();
    }
    if (random.nextDouble() < CLAIM_SHARE
        && ground.hasClaims()
        && !queued // a guarantee is about the resources of the queue
        && scheduler.startsWith(GIVES_DEVICES)) {
      TrialDevices.use(pod);
    }
    return pod.build();
  }
}
