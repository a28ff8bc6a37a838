package io.berth.demo.access;

import io.berth.demo.cluster.Manifests;
import io.berth.sandbox.Sandbox;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rights that manifests grant, and those that Berth has used. */
final class Rights {
  private static final String BERTH = "system:serviceaccount:berth-system:berth";

  private Rights() {}

  /** Returns what the roles in these files grant. */
  static Set<Grant> granted(KubernetesClient admin, List<Path> files) {
    Manifests manifests = new Manifests(admin);
    return files.stream()
        .flatMap(file -> manifests.read(file).stream())
        .flatMap(Rights::of)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Stream<Grant> of(HasMetadata object) {
    return switch (object) {
      case ClusterRole role when isForUsers(role) -> Stream.of();
      case ClusterRole role -> Grant.of(role.getRules());
      case Role role -> Grant.of(role.getRules());
      default -> Stream.of();
    };
  }

  /** Returns whether a role is aggregated into those of users. */
  private static boolean isForUsers(ClusterRole role) {
    return role.getMetadata().getLabels().keySet().stream()
        .anyMatch(label -> label.startsWith("rbac.authorization.k8s.io/aggregate-to-"));
  }

  /** Returns what Berth's ServiceAccount has requested. */
  static Set<Grant> used(Sandbox sandbox) {
    return sandbox.apiUsage().keySet().stream()
        .filter(use -> use.user().equals(BERTH) && !use.resource().startsWith("/"))
        .map(use -> new Grant(use.verb(), use.group(), use.resource()))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  static Set<Grant> minus(Set<Grant> all, Set<Grant> without) {
    Set<Grant> rest = new TreeSet<>(all);
    rest.removeAll(without);
    return rest;
  }
}
