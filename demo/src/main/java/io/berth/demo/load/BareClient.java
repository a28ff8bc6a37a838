package io.berth.demo.load;

import io.berth.engine.model.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.ClusterAccess;
import io.berth.operator.api.HttpApiCalls;
import io.berth.operator.protobuf.BindingMessage;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.ObjectEvent;
import io.berth.operator.record.ObjectEvent.Subject;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A client that binds each pending pod of a namespace to the next node, without scheduling, and
 * writes its Scheduled event as Berth does: the limit for every scheduler on the same machine.
 */
final class BareClient implements PodWatch.Observer {
  private static final String NAME = "bare-client";
  private static final int IN_FLIGHT = 32;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final ApiCalls api;
  private final EventRecorder events;
  private final String namespace;
  private final List<String> nodes;

  // Guarded by this.
  private final Set<String> known = new HashSet<>();
  private final ArrayDeque<Placed> waiting = new ArrayDeque<>();
  private int inFlight;
  private int turn;

  private record Placed(PodRef pod, String node) {}

  private BareClient(ApiCalls api, String namespace, List<String> nodes) {
    this.api = api;
    this.events =
        new EventRecorder(api, subject -> NAME, NAME, Clock.systemUTC(), this::isBinding, () -> {});
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
      waiting.add(new Placed(new PodRef(namespace, name, uid), nodes.get(turn++ % nodes.size())));
    }
    pump();
  }

  private synchronized boolean isBinding() {
    return inFlight > 0;
  }

  private void pump() {
    while (true) {
      Placed next;
      synchronized (this) {
        next = inFlight == IN_FLIGHT ? null : waiting.poll();
        if (next == null) {
          return;
        }
        inFlight++;
      }
      bind(next);
    }
  }

  private void bind(Placed placed) {
    PodRef pod = placed.pod();
    api.bind(
        "/api/v1/namespaces/%s/pods/%s/binding".formatted(namespace, pod.name()),
        BindingMessage.encode(namespace, pod.name(), pod.uid(), Map.of(), Map.of(), placed.node()),
        answer -> ended(answer, placed));
  }

  private void ended(Answer answer, Placed placed) {
    synchronized (this) {
      inFlight--;
    }
    pump();
    PodRef pod = placed.pod();
    if (!answer.ok()) {
      System.err.printf("pod %s: %d %s%n", pod.name(), answer.code(), answer.message());
      return;
    }
    events.report(
        ObjectEvent.normal(
            Subject.pod(pod),
            "Scheduled",
            "Binding",
            "Successfully assigned %s/%s to %s".formatted(namespace, pod.name(), placed.node())));
  }
}
