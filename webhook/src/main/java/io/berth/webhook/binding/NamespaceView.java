package io.berth.webhook.binding;

import io.berth.crds.Annotations;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The bindings that select one namespace, in order of precedence and indexed by label. Most
 * bindings require the value of a label, so a pod is only matched against the bindings that require
 * one of its labels and against those that require none.
 */
final class NamespaceView {
  /** The label from which the name of a ReplicaSet's Deployment is derived. */
  private static final String TEMPLATE_HASH = "pod-template-hash";

  private static final Set<String> DECIDING =
      Set.of(
          Annotations.POLICY,
          Annotations.NSC,
          Annotations.NSC_ARGS,
          Annotations.PSC,
          Annotations.PSC_ARGS,
          Annotations.GROUP);

  private final List<BoundBinding> inOrder;
  private final Map<Selector.Label, List<Integer>> byLabel = new HashMap<>();
  private final List<Integer> others = new ArrayList<>();
  private final Set<String> labelKeys = new HashSet<>();
  private final boolean partial;

  NamespaceView(Collection<BoundBinding> reaching) {
    inOrder = reaching.stream().sorted(BoundBinding.PRECEDENCE).toList();
    inOrder.forEach(binding -> labelKeys.addAll(binding.pods().keys()));
    partial = inOrder.stream().anyMatch(BoundBinding::isPartial);
    for (int i = 0; i < inOrder.size(); i++) {
      int index = i;
      inOrder
          .get(i)
          .pods()
          .requiredLabel()
          .ifPresentOrElse(
              label -> byLabel.computeIfAbsent(label, each -> new ArrayList<>()).add(index),
              () -> others.add(index));
    }
  }

  /** Returns the bindings whose selectors match these labels, in order of precedence. */
  List<BoundBinding> matching(Map<String, String> podLabels) {
    TreeSet<Integer> candidates = new TreeSet<>(others);
    podLabels.forEach(
        (key, value) ->
            candidates.addAll(byLabel.getOrDefault(new Selector.Label(key, value), List.of())));
    List<BoundBinding> matching = new ArrayList<>(candidates.size());
    for (int candidate : candidates) {
      BoundBinding binding = inOrder.get(candidate);
      if (binding.pods().matches(podLabels)) {
        matching.add(binding);
      }
    }
    return matching;
  }

  /** Returns a copy of the pod with only the properties that affect its resolution. */
  PodSubject essence(PodSubject pod) {
    return new PodSubject(
        pod.namespace(),
        partial ? pod.baseName() : "",
        only(
            pod.labels(),
            key ->
                labelKeys.contains(key)
                    || key.equals(Annotations.QUEUE_LABEL)
                    || (partial && key.equals(TEMPLATE_HASH))),
        only(pod.annotations(), DECIDING::contains),
        partial ? pod.controller() : Optional.empty(),
        pod.schedulerName(),
        pod.isOfDaemonSet());
  }

  private static Map<String, String> only(Map<String, String> all, Predicate<String> wanted) {
    Map<String, String> some = new HashMap<>();
    all.forEach(
        (key, value) -> {
          if (wanted.test(key)) {
            some.put(key, value);
          }
        });
    return some;
  }
}
