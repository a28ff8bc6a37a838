package io.berth.demo.load;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.ClusterAccess;
import io.berth.operator.api.HttpApiCalls;
import io.berth.operator.protobuf.BindingMessage;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * A client that binds each pending pod of a namespace to the next node, without scheduling, and
 * writes its Scheduled event: the limit for every scheduler on the same machine. Bindings have
 * priority over events, as in Berth.
 */
final class BareClient implements PodWatch.Observer {
  private static final int IN_FLIGHT = 32;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private final ApiCalls api;
  private final String namespace;
  private final List<String> nodes;

  // Guarded by this.
  private final Set<String> known = new HashSet<>();
  private final ArrayDeque<Placed> toBind = new ArrayDeque<>();
  private final ArrayDeque<Placed> toReport = new ArrayDeque<>();
  private int inFlight;
  private int turn;

  private record Placed(String name, String uid, String node) {}

  private BareClient(ApiCalls api, String namespace, List<String> nodes) {
    this.api = api;
    this.namespace = namespace;
    this.nodes = nodes;
  }

  /**
   * Runs until the process is ended.
   *
   * @param arguments the kubeconfig and the namespace
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Config config = Config.fromKubeconfig(Path.of(arguments[0]).toFile());
    String namespace = arguments[1];
    ClusterAccess access = ClusterAccess.of(config);
    try (KubernetesClient client = access.client();
        HttpApiCalls api = new HttpApiCalls(access, TIMEOUT)) {
      List<String> nodes =
          client.nodes().list().getItems().stream()
              .map(node -> node.getMetadata().getName())
              .toList();
      BareClient bare = new BareClient(api, namespace, nodes);
      try (PodWatch _ = new PodWatch(client, namespace, "spec.nodeName=", bare)) {
        Thread.currentThread().join();
      }
    }
  }

  @Override
  public void seen(String name, String uid, String nodeName) {
    synchronized (this) {
      if (!nodeName.isEmpty() || !known.add(uid)) {
        return;
      }
      toBind.add(new Placed(name, uid, nodes.get(turn++ % nodes.size())));
    }
    pump();
  }

  private void pump() {
    while (true) {
      Placed pod;
      boolean binds;
      synchronized (this) {
        binds = !toBind.isEmpty();
        pod = inFlight == IN_FLIGHT ? null : binds ? toBind.poll() : toReport.poll();
        if (pod == null) {
          return;
        }
        inFlight++;
      }
      if (binds) {
        bind(pod);
      } else {
        report(pod);
      }
    }
  }

  private void bind(Placed pod) {
    api.bind(
        "/api/v1/namespaces/%s/pods/%s/binding".formatted(namespace, pod.name()),
        BindingMessage.encode(namespace, pod.name(), pod.uid(), Map.of(), Map.of(), pod.node()),
        answer -> ended(answer, pod, true));
  }

  private void report(Placed pod) {
    api.post(
        "/apis/events.k8s.io/v1/namespaces/%s/events".formatted(namespace),
        event(pod),
        answer -> ended(answer, pod, false));
  }

  private void ended(Answer answer, Placed pod, boolean bound) {
    if (!answer.ok()) {
      System.err.printf("pod %s: %d %s%n", pod.name(), answer.code(), answer.message());
    }
    synchronized (this) {
      inFlight--;
      if (bound && answer.ok()) {
        toReport.add(pod);
      }
    }
    pump();
  }

  private ObjectNode event(Placed pod) {
    ObjectNode event = JSON.objectNode();
    event.put("apiVersion", "events.k8s.io/v1").put("kind", "Event");
    event
        .putObject("metadata")
        .put("name", pod.name() + "." + UUID.randomUUID())
        .put("namespace", namespace);
    event.put("eventTime", MICRO_TIME.format(Instant.now())).put("type", "Normal");
    event.put("reason", "Scheduled").put("action", "Binding");
    event.put(
        "note", "Successfully assigned %s/%s to %s".formatted(namespace, pod.name(), pod.node()));
    event.put("reportingController", "bare-client").put("reportingInstance", "bare-client");
    event
        .putObject("regarding")
        .put("apiVersion", "v1")
        .put("kind", "Pod")
        .put("name", pod.name())
        .put("namespace", namespace)
        .put("uid", pod.uid());
    return event;
  }
}
