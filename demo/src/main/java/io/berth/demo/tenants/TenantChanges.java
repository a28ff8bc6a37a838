package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The changes and deletions of pods that exist, and the budgets for them. */
final class TenantChanges {
  /** The names of pods of groups; the first part is that of the group. */
  private static final Pattern MEMBER =
      Pattern.compile("((member|unaware|of-group|gpu|claims|sharing)-\\d+)-.*");

  /** The annotations that a controller copies from its template. */
  private static final Set<String> OF_THE_TEMPLATE =
      Set.of(Annotations.GROUP, Annotations.GROUP_MIN, Annotations.POLICY, Tenants.SECONDS);

  private final SharedCluster cluster;

  TenantChanges(SharedCluster cluster) {
    this.cluster = cluster;
  }

  private List<ObjectNode> pods() {
    return cluster.all("Pod").stream()
        .filter(pod -> !ObjectKey.of(pod).namespace().equals(Tenants.PROBES))
        .toList();
  }

  private List<ObjectNode> podsOf(String namespace) {
    return cluster.all("Pod").stream()
        .filter(pod -> ObjectKey.of(pod).namespace().equals(namespace))
        .toList();
  }

  /** Deletes some pods, of any namespace or of one. */
  void deleteSome(Stretch stretch, Random random) {
    List<ObjectNode> pods = random.nextBoolean() ? pods() : podsOf(stretch.namespace(random));
    if (pods.isEmpty()) {
      return;
    }
    int first = random.nextInt(pods.size());
    int count = random.nextInt(4) == 0 ? pods.size() / 3 : random.nextInt(1, 8);
    for (int i = first; i < Math.min(pods.size(), first + count); i++) {
      cluster.delete(ObjectKey.of(pods.get(i)));
    }
  }

  /**
   * Deletes some members of a group, whatever state they are in, and creates others in their place
   * as the controller of a Job does, or does not.
   */
  void loseMembers(int number, Stretch stretch, Random random) {
    List<ObjectNode> pods = podsOf(stretch.namespace(random));
    List<ObjectNode> candidates =
        pods.stream().filter(pod -> MEMBER.matcher(ObjectKey.of(pod).name()).matches()).toList();
    if (candidates.isEmpty()) {
      return;
    }
    ObjectNode one = candidates.get(random.nextInt(candidates.size()));
    Matcher name = MEMBER.matcher(ObjectKey.of(one).name());
    String prefix = name.matches() ? name.group(1) + "-" : "";
    int percent = List.of(5, 30, 80).get(random.nextInt(3));
    boolean replaced = random.nextBoolean();
    int count = 0;
    for (ObjectNode member : candidates) {
      if (ObjectKey.of(member).name().startsWith(prefix) && random.nextInt(100) < percent) {
        cluster.delete(ObjectKey.of(member));
        if (replaced) {
          cluster.create(replacement(member, prefix + "r" + number + "-" + count++));
        }
      }
    }
  }

  private static ObjectNode replacement(ObjectNode member, String name) {
    ObjectNode pod = KubeObjects.create("Pod", ObjectKey.of(member).namespace(), name);
    pod.set("spec", member.path("spec").deepCopy());
    pod.withObject("/spec").remove("nodeName");
    if (member.path("metadata").has("labels")) {
      pod.withObject("/metadata").set("labels", member.at("/metadata/labels").deepCopy());
    }
    ObjectNode annotations = pod.withObject("/metadata/annotations");
    member
        .at("/metadata/annotations")
        .properties()
        .forEach(
            annotation -> {
              if (OF_THE_TEMPLATE.contains(annotation.getKey())) {
                annotations.set(annotation.getKey(), annotation.getValue());
              }
            });
    pod.withObject("/status").put("phase", "Pending");
    return pod;
  }

  /** Changes the labels of a pod. */
  void relabel(Stretch stretch, Random random) {
    List<ObjectNode> pods = pods();
    if (!pods.isEmpty()) {
      String app = stretch.app(random);
      cluster.change(
          ObjectKey.of(pods.get(random.nextInt(pods.size()))),
          pod -> pod.withObject("/metadata/labels").put("app", app));
    }
  }

  /** Creates or removes a disruption budget for an app. */
  void budget(Stretch stretch, Random random) {
    String namespace = stretch.namespace(random);
    String app = stretch.app(random);
    ObjectNode budget = KubeObjects.create("PodDisruptionBudget", namespace, app);
    budget.put("apiVersion", "policy/v1");
    ObjectKey key = ObjectKey.of(budget);
    if (cluster.find(key).isPresent()) {
      cluster.delete(key);
      return;
    }
    ObjectNode spec = budget.withObject("/spec").put("minAvailable", 1);
    spec.withObject("/selector/matchLabels").put("app", app);
    budget.withObject("/status").put("disruptionsAllowed", random.nextInt(3));
    cluster.create(budget);
  }
}
