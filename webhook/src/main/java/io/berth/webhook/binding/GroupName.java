package io.berth.webhook.binding;

import io.berth.crds.Annotations;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The names of groups that pods declare themselves, in Berth's own dialect or another one. An empty
 * name in Berth's own puts the pod in no group.
 */
final class GroupName {
  private static final List<String> LABELS =
      List.of("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io/name");
  private static final List<String> ANNOTATIONS =
      List.of("gang.scheduling.koordinator.sh/name", "scheduling.k8s.io/group-name");

  private GroupName() {}

  /** Returns the name of a pod's group; empty if it declares none. */
  static Optional<String> of(PodSubject pod) {
    Optional<String> own = pod.annotation(Annotations.GROUP);
    if (own.isPresent()) {
      return own.filter(name -> !name.isEmpty());
    }
    return Stream.concat(
            LABELS.stream().map(key -> pod.labels().getOrDefault(key, "")),
            ANNOTATIONS.stream().map(key -> pod.annotation(key).orElse("")))
        .filter(name -> !name.isEmpty())
        .findFirst();
  }
}
