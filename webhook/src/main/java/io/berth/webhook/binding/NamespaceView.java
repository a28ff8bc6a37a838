package io.berth.webhook.binding;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The bindings that reach one namespace, in the order of precedence and found by label: most select
 * an app by a label's value, so a pod is only held against those that its own labels lead to.
 */
final class NamespaceView {
  private final List<BoundBinding> inOrder;
  private final Map<Selector.Label, List<Integer>> byLabel = new HashMap<>();
  private final List<Integer> others = new ArrayList<>();

  NamespaceView(Collection<BoundBinding> reaching) {
    inOrder = reaching.stream().sorted(BoundBinding.PRECEDENCE).toList();
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

  /** The bindings whose selectors match these labels, the winner first. */
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
}
