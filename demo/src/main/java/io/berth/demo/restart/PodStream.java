package io.berth.demo.restart;

import io.berth.crds.Annotations;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A stream of pods that are created at a steady rate, with the result for each: rendered, not
 * rendered, or rejected.
 */
final class PodStream implements AutoCloseable {

  /** Large enough that slow responses of the API server do not slow down the stream. */
  private static final int IN_FLIGHT = 400;

  private static final Duration LAST_ANSWERS = Duration.ofSeconds(90);

  private final KubernetesClient client;
  private final String namespace;
  private final Duration every;
  private final ConcurrentLinkedQueue<String> unrendered = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> refused = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Duration> times = new ConcurrentLinkedQueue<>();
  private final AtomicInteger created = new AtomicInteger();
  private final Semaphore inFlight = new Semaphore(IN_FLIGHT);
  private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
  private final Thread pace;
  private final long beganAt = System.nanoTime();
  private volatile boolean enough;
  private volatile long endedAt;

  PodStream(KubernetesClient client, String namespace, int podsPerSecond) {
    this.client = client;
    this.namespace = namespace;
    this.every = Duration.ofSeconds(1).dividedBy(podsPerSecond);
    this.pace = Thread.ofPlatform().name("pod-stream").daemon().start(this::run);
  }

  /** Creates a pod and returns it as stored by the API server. */
  static Pod create(KubernetesClient client, String namespace, String name) {
    return client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("busybox:1.37")
                .withNewResources()
                .addToRequests(Map.of("cpu", new Quantity("1m")))
                .endResources()
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  static boolean isRendered(Pod pod) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    return annotations != null
        && annotations.containsKey(Annotations.APPLIED)
        && "berth".equals(pod.getSpec().getSchedulerName());
  }

  int created() {
    return created.get();
  }

  /** Returns the names of the pods that were admitted without being rendered. */
  List<String> unrendered() {
    return List.copyOf(unrendered);
  }

  /** Returns the names and errors of the pods that could not be created. */
  List<String> refused() {
    return List.copyOf(refused);
  }

  /** Returns the response times, shortest first. */
  List<Duration> times() {
    return times.stream().sorted().toList();
  }

  /** Returns the time during which pods have been created. */
  Duration length() {
    return Duration.ofNanos((enough ? endedAt : System.nanoTime()) - beganAt);
  }

  /** Stops creating pods and waits for the last responses. */
  @Override
  public void close() {
    endedAt = System.nanoTime();
    enough = true;
    try {
      pace.join();
      if (!inFlight.tryAcquire(IN_FLIGHT, LAST_ANSWERS.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "the API server has not responded for " + LAST_ANSWERS.toSeconds() + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the last responses", e);
    }
    calls.close();
  }

  private void run() {
    try {
      for (int number = 0; !enough; number++) {
        long due = beganAt + number * every.toNanos();
        TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
        inFlight.acquire();
        String name = "pod-" + number;
        calls.execute(() -> create(name));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void create(String name) {
    long began = System.nanoTime();
    try {
      Pod pod = create(client, namespace, name);
      times.add(Duration.ofNanos(System.nanoTime() - began));
      created.incrementAndGet();
      if (!isRendered(pod)) {
        unrendered.add(name);
      }
    } catch (KubernetesClientException e) {
      refused.add(name + ": " + e.getMessage());
    } finally {
      inFlight.release();
    }
  }
}
