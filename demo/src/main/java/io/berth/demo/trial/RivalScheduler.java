package io.berth.demo.trial;

import io.berth.demo.history.Amounts;
import io.fabric8.kubernetes.api.model.Binding;
import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * A scheduler that is independent of Berth. It binds its pods to nodes of the trial on which they
 * fit according to its last list of pods.
 */
final class RivalScheduler {
  static final String NAME = "rival";

  private static final Amounts ONE_POD = Amounts.of(Map.of("pods", new Quantity("1")));

  private final KubernetesClient client;
  private final List<Node> nodes;
  private final Random random;

  RivalScheduler(KubernetesClient client, List<Node> nodes, long seed) {
    this.client = client;
    this.nodes = List.copyOf(nodes);
    this.random = new Random(seed);
  }

  /** Processes the current pods of the trial. */
  void step(List<Pod> pods) {
    Map<String, Amounts> requested = new HashMap<>();
    for (Pod pod : pods) {
      if (pod.getSpec().getNodeName() != null) {
        requested.merge(pod.getSpec().getNodeName(), requests(pod), Amounts::plus);
      }
    }
    for (Pod pod : pods) {
      if (NAME.equals(pod.getSpec().getSchedulerName())
          && pod.getSpec().getNodeName() == null
          && pod.getMetadata().getDeletionTimestamp() == null) {
        place(pod, requested);
      }
    }
  }

  private void place(Pod pod, Map<String, Amounts> requested) {
    List<Node> shuffled = new ArrayList<>(nodes);
    Collections.shuffle(shuffled, random);
    for (Node node : shuffled) {
      String name = node.getMetadata().getName();
      Amounts after = requested.getOrDefault(name, Amounts.NONE).plus(requests(pod));
      if (node.getMetadata()
              .getLabels()
              .entrySet()
              .containsAll(pod.getSpec().getNodeSelector().entrySet())
          && after.fitInto(Amounts.of(node.getStatus().getAllocatable()))) {
        bind(pod, name);
        requested.put(name, after);
        return;
      }
    }
  }

  private void bind(Pod pod, String node) {
    Binding binding =
        new BindingBuilder()
            .withNewMetadata()
            .withName(pod.getMetadata().getName())
            .withNamespace(pod.getMetadata().getNamespace())
            .withUid(pod.getMetadata().getUid())
            .endMetadata()
            .withNewTarget()
            .withApiVersion("v1")
            .withKind("Node")
            .withName(node)
            .endTarget()
            .build();
    try {
      client.raw(
          "/api/v1/namespaces/%s/pods/%s/binding"
              .formatted(pod.getMetadata().getNamespace(), pod.getMetadata().getName()),
          "POST",
          binding);
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT
          && e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
    }
  }

  private static Amounts requests(Pod pod) {
    Amounts sum = ONE_POD;
    for (var container : pod.getSpec().getContainers()) {
      sum =
          sum.plus(
              Amounts.of(
                  Objects.requireNonNullElse(container.getResources().getRequests(), Map.of())));
    }
    return sum;
  }
}
