package io.berth.operator.warmup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.protobuf.BindingMessage;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.RequestHandler;
import io.berth.serving.http.RequestHead;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A synthetic cluster in memory: a feed without an API server, and a handler for the requests of a
 * scheduling session. Writes change the feed, as a watch would.
 *
 * <p>Requests are handled on their own threads; the feed is written only by the thread that calls
 * all other methods.
 */
public final class SyntheticCluster implements RequestHandler {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CLAIMS =
      "/api/v1/namespaces/" + SyntheticObjects.NAMESPACE + "/persistentvolumeclaims/";
  private static final String PODS = "/api/v1/namespaces/" + SyntheticObjects.NAMESPACE + "/pods/";
  private static final String BINDING = "/binding";

  private static final Duration LOOK = Duration.ofMillis(20);

  /** The number of rounds after which a pod that is not simply placed is deleted. */
  private static final int ROUNDS_LEFT = 10;

  /**
   * The number of rounds between two pods with claims, because the preparation of claims is
   * expensive.
   */
  private static final int BETWEEN_CLAIMS = 5;

  private final ClusterFeed feed;
  private final SyntheticObjects objects;

  /** Writes that have not been applied to the feed yet. */
  private final BlockingQueue<Runnable> written = new LinkedBlockingQueue<>();

  private final Map<String, HasMetadata> stored = new ConcurrentHashMap<>();

  // Accessed by the writing thread alone.
  private final Set<String> awaited = new HashSet<>();
  private final Queue<List<HasMetadata>> special = new ArrayDeque<>();
  private int round;
  private long version = 1;

  /**
   * @param feed a feed that is not started
   * @param scheduler the scheduler name of the synthetic pods
   */
  public SyntheticCluster(ClusterFeed feed, String scheduler) {
    this.feed = feed;
    this.objects = new SyntheticObjects(scheduler);
  }

  /** Adds the nodes to the feed. */
  public void addNodes(int count) {
    feed.put(objects.storageClass());
    feed.put(objects.crowdedNode());
    for (int i = 0; i < count; i++) {
      feed.put(objects.node(i));
    }
  }

  /**
   * Creates pods, waits until the ordinary ones are placed, and deletes those again.
   *
   * @param pods the number of ordinary pods
   * @param atMost the time limit
   * @param stopped returns whether the warm-up has been stopped
   * @return the number of ordinary pods that were placed
   */
  public int placeRound(int pods, Duration atMost, BooleanSupplier stopped)
      throws InterruptedException {
    round++;
    addSpecial();
    List<Pod> ordinary = new ArrayList<>();
    for (int i = 0; i < pods; i++) {
      Pod pod = objects.ordinary("pod-" + round + "-" + i, i);
      ordinary.add(pod);
      awaited.add(pod.getMetadata().getName());
      put(pod);
    }
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!awaited.isEmpty() && !stopped.getAsBoolean() && System.nanoTime() < deadline) {
      Runnable change = written.poll(LOOK.toNanos(), TimeUnit.NANOSECONDS);
      if (change != null) {
        change.run();
      }
    }
    int placed = pods - awaited.size();
    awaited.clear();
    ordinary.forEach(this::delete);
    return placed;
  }

  /** Adds pods that are not simply placed, and deletes those of earlier rounds. */
  private void addSpecial() {
    String suffix = "-" + round;
    List<HasMetadata> added = new ArrayList<>();
    added.add(objects.tooLarge("too-large" + suffix));
    added.add(objects.onCrowdedNode("crowding" + suffix, round));
    if (round % BETWEEN_CLAIMS == 0) {
      added.add(objects.claim("data" + suffix));
      added.add(objects.withClaim("with-claim" + suffix, "data" + suffix));
    }
    added.forEach(this::put);
    special.add(added);
    if (special.size() > ROUNDS_LEFT) {
      special.remove().forEach(this::delete);
    }
  }

  private void put(HasMetadata object) {
    stored.put(path(object), object);
    feed.put(object);
  }

  private void delete(HasMetadata object) {
    HasMetadata last = stored.remove(path(object));
    if (last != null) {
      feed.remove(last);
    }
  }

  private static String path(HasMetadata object) {
    return (object instanceof Pod ? PODS : CLAIMS) + object.getMetadata().getName();
  }

  @Override
  public Optional<HttpAnswer> refusal(RequestHead head) {
    return Optional.empty();
  }

  @Override
  public HttpAnswer answer(RequestHead head, byte[] body) {
    String path = head.path();
    if (path.startsWith(PODS) && path.endsWith(BINDING)) {
      String node = nodeName(body);
      String pod = path.substring(0, path.length() - BINDING.length());
      written.add(() -> bind(pod, node));
      return answer(201, "{\"kind\": \"Status\", \"status\": \"Success\"}");
    }
    if (path.startsWith(PODS) && head.method().equals("DELETE")) {
      written.add(() -> Optional.ofNullable(stored.get(path)).ifPresent(this::delete));
    } else if (path.startsWith(CLAIMS)) {
      JsonNode annotations = json(body).path("metadata").path("annotations");
      annotations
          .properties()
          .forEach(each -> written.add(() -> provision(path, each.getKey(), each.getValue())));
    }
    return answer(head.method().equals("POST") ? 201 : 200, "{}");
  }

  private void bind(String path, String node) {
    if (stored.get(path) instanceof Pod pod) {
      put(
          new PodBuilder(pod)
              .withMetadata(next(pod))
              .editSpec()
              .withNodeName(node)
              .endSpec()
              .build());
      awaited.remove(pod.getMetadata().getName());
    }
  }

  private void provision(String path, String annotation, JsonNode value) {
    if (stored.get(path) instanceof PersistentVolumeClaim claim) {
      put(
          new PersistentVolumeClaimBuilder(claim)
              .withMetadata(next(claim))
              .editMetadata()
              .addToAnnotations(annotation, value.asText())
              .endMetadata()
              .editSpec()
              .withVolumeName("volume-of-" + claim.getMetadata().getName())
              .endSpec()
              .editStatus()
              .withPhase("Bound")
              .endStatus()
              .build());
    }
  }

  private ObjectMeta next(HasMetadata object) {
    version++;
    return object.getMetadata().edit().withResourceVersion(Long.toString(version)).build();
  }

  private static String nodeName(byte[] binding) {
    try {
      return BindingMessage.nodeName(binding);
    } catch (IOException e) {
      throw new UncheckedIOException("a scheduling session sent an invalid Binding", e);
    }
  }

  private static JsonNode json(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw new UncheckedIOException("a scheduling session sent invalid JSON", e);
    }
  }

  private static HttpAnswer answer(int code, String json) {
    return new HttpAnswer(code, "application/json", json.getBytes(StandardCharsets.UTF_8));
  }
}
