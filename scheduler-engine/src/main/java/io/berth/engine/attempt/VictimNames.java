package io.berth.engine.attempt;

import io.berth.engine.decision.BoundedText;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.List;

/**
 * The victims of a dry run, as named to the owner of the preemptor: pods of other namespaces are
 * only counted, because the owner may not be allowed to see them.
 */
final class VictimNames {
  private VictimNames() {}

  /**
   * Returns the names of the victims in the namespace, and the number of the others.
   *
   * @param namespace the namespace of the preemptor
   */
  static String inNamespace(String namespace, List<PodEntry> victims) {
    List<String> own =
        victims.stream()
            .map(PodEntry::ref)
            .filter(victim -> victim.namespace().equals(namespace))
            .map(victim -> victim.namespace() + "/" + victim.name())
            .toList();
    List<String> parts = new ArrayList<>();
    if (!own.isEmpty()) {
      parts.add(BoundedText.list(own));
    }
    int others = victims.size() - own.size();
    if (others > 0) {
      parts.add(others == 1 ? "1 pod of another namespace" : others + " pods of other namespaces");
    }
    return String.join(" and ", parts);
  }
}
