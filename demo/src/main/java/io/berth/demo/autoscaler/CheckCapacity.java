package io.berth.demo.autoscaler;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ProvisioningRequests of the class {@code check-capacity}: the Cluster Autoscaler looks whether
 * all their pods fit on the nodes that exist, and buys none. What fits is booked for ten minutes:
 * it counts as used when nodes are bought for other pods. A request whose pods do not fit is tried
 * again, unless its parameter {@code noRetry} is {@code true}.
 *
 * @see <a
 *     href="https://github.com/kubernetes/autoscaler/tree/master/cluster-autoscaler/provisioningrequest/checkcapacity">
 *     Cluster Autoscaler</a>
 */
public final class CheckCapacity implements CapacityRequests {
  private static final Logger LOG = LoggerFactory.getLogger(CheckCapacity.class);
  private static final String CLASS = "check-capacity.autoscaling.x-k8s.io";
  private static final Duration BOOKED_FOR = Duration.ofMinutes(10);
  private static final ResourceDefinitionContext KIND =
      new ResourceDefinitionContext.Builder()
          .withGroup("autoscaling.x-k8s.io")
          .withVersion("v1")
          .withKind("ProvisioningRequest")
          .withPlural("provisioningrequests")
          .withNamespaced(true)
          .build();

  private final KubernetesClient client;
  private final Placement placement;

  /**
   * @param client an administrator of a cluster that serves ProvisioningRequests
   */
  public CheckCapacity(KubernetesClient client) {
    this.client = client;
    this.placement = new Placement(client);
  }

  @Override
  public List<Pod> booked(Collection<Node> nodes, Collection<Pod> placed, Instant now) {
    List<Pod> booked = new ArrayList<>();
    for (GenericKubernetesResource request :
        client.genericKubernetesResources(KIND).inAnyNamespace().list().getItems()) {
      if (CLASS.equals(request.get("spec", "provisioningClassName")) && !is(request, "Failed")) {
        booked.addAll(bookedFor(request, nodes, both(placed, booked), now));
      }
    }
    return booked;
  }

  private List<Pod> bookedFor(
      GenericKubernetesResource request,
      Collection<Node> nodes,
      Collection<Pod> placed,
      Instant now) {
    Optional<Instant> since =
        condition(request, "Provisioned")
            .filter(condition -> "True".equals(condition.get("status")))
            .map(condition -> Instant.parse(String.valueOf(condition.get("lastTransitionTime"))));
    if (since.isPresent() && !now.isBefore(since.get().plus(BOOKED_FOR))) {
      if (!is(request, "BookingExpired")) {
        answer(request, "BookingExpired", "True", "CapacityReservationTimeExpired", now);
      }
      return List.of();
    }
    List<Pod> pods = podsOf(request);
    if (pods.isEmpty()) {
      return List.of();
    }
    Map<String, String> nodeOf = placement.placedOf(nodes, placed, pods);
    if (since.isEmpty()) {
      boolean fits = nodeOf.size() == pods.size();
      boolean once = "true".equals(request.get("spec", "parameters", "noRetry"));
      answer(request, "Accepted", "True", "Accepted", now);
      if (fits) {
        answer(request, "Provisioned", "True", "CapacityIsFound", now);
      } else if (once) {
        answer(request, "Failed", "True", "CapacityIsNotFound", now);
      } else {
        answer(request, "Provisioned", "False", "CapacityIsNotFound", now);
      }
      if (!fits) {
        return List.of();
      }
    }
    return pods.stream()
        .filter(pod -> nodeOf.containsKey(Autoscaler.nameOf(pod)))
        .map(
            pod ->
                new PodBuilder(pod)
                    .editSpec()
                    .withNodeName(nodeOf.get(Autoscaler.nameOf(pod)))
                    .endSpec()
                    .build())
        .toList();
  }

  private static Collection<Pod> both(Collection<Pod> some, Collection<Pod> others) {
    List<Pod> all = new ArrayList<>(some);
    all.addAll(others);
    return all;
  }

  /** Returns the pods of a request; empty if one of its PodTemplates does not exist. */
  private List<Pod> podsOf(GenericKubernetesResource request) {
    String namespace = request.getMetadata().getNamespace();
    List<Pod> pods = new ArrayList<>();
    for (int set = 0; request.get("spec", "podSets", set, "count") instanceof Number count; set++) {
      String template = request.get("spec", "podSets", set, "podTemplateRef", "name");
      PodTemplate found =
          client.resources(PodTemplate.class).inNamespace(namespace).withName(template).get();
      if (found == null) {
        LOG.warn(
            "Autoscaler: the ProvisioningRequest {}/{} waits: its PodTemplate {} does not exist;"
                + " create it, or change spec.podSets",
            namespace,
            request.getMetadata().getName(),
            template);
        return List.of();
      }
      for (int i = 0; i < count.intValue(); i++) {
        String name = "%s-%d-%d".formatted(request.getMetadata().getName(), set, i);
        pods.add(
            new PodBuilder()
                .withNewMetadataLike(found.getTemplate().getMetadata())
                .withNamespace(namespace)
                .withName(name)
                .withUid("booked/" + namespace + "/" + name)
                .endMetadata()
                .withSpec(found.getTemplate().getSpec())
                .withNewStatus()
                .withPhase("Pending")
                .endStatus()
                .build());
      }
    }
    return pods;
  }

  private static boolean is(GenericKubernetesResource request, String type) {
    return condition(request, type)
        .filter(condition -> "True".equals(condition.get("status")))
        .isPresent();
  }

  private static Optional<Map<?, ?>> condition(GenericKubernetesResource request, String type) {
    return conditions(request).stream()
        .filter(condition -> type.equals(condition.get("type")))
        .findFirst();
  }

  private static List<Map<?, ?>> conditions(GenericKubernetesResource request) {
    List<Map<?, ?>> found = new ArrayList<>();
    if (request.get("status", "conditions") instanceof List<?> list) {
      for (Object condition : list) {
        if (condition instanceof Map<?, ?> map) {
          found.add(map);
        }
      }
    }
    return found;
  }

  private void answer(
      GenericKubernetesResource request, String type, String status, String reason, Instant now) {
    List<Map<?, ?>> conditions = conditions(request);
    boolean same =
        conditions.stream()
            .anyMatch(
                condition ->
                    type.equals(condition.get("type")) && status.equals(condition.get("status")));
    if (same) {
      return;
    }
    conditions.removeIf(condition -> type.equals(condition.get("type")));
    conditions.add(
        Map.of(
            "type", type,
            "status", status,
            "reason", reason,
            "message", reason,
            "lastTransitionTime", now.toString()));
    request.setAdditionalProperty("status", Map.of("conditions", conditions));
    client
        .genericKubernetesResources(KIND)
        .inNamespace(request.getMetadata().getNamespace())
        .withName(request.getMetadata().getName())
        .editStatus(
            current -> {
              current.setAdditionalProperty("status", Map.of("conditions", conditions));
              return current;
            });
  }
}
