package io.berth.engine.cycle;

import io.berth.engine.decision.RejectionCount;
import io.berth.engine.devices.ClaimPlaceholder;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.PodClaim;
import io.berth.engine.state.PodEntry;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The names of a pod's claims for devices. Pods with equal claims share verdicts, which name the
 * claims of none of them.
 */
final class ClaimNames {
  private final List<String> names;

  ClaimNames(PodEntry pod) {
    List<PodClaim> claims = pod.spec().devices().claims();
    names = claims.isEmpty() ? List.of() : claims.stream().map(PodClaim::claimName).toList();
  }

  /** Returns the rejections with the names of this pod's claims. */
  List<RejectionCount> in(List<RejectionCount> rejections) {
    return names.isEmpty()
        ? rejections
        : rejections.stream()
            .map(of -> RejectionCount.byAll(of.plugins(), in(of.verdict()), of.nodes()))
            .toList();
  }

  /** Returns the verdicts with the names of this pod's claims. */
  Map<String, Map<String, Verdict>> in(Map<String, Map<String, Verdict>> verdicts) {
    if (names.isEmpty()) {
      return verdicts;
    }
    Map<String, Map<String, Verdict>> named = new TreeMap<>();
    verdicts.forEach(
        (plugin, byNode) -> {
          Map<String, Verdict> ofPlugin = new TreeMap<>();
          byNode.forEach((node, verdict) -> ofPlugin.put(node, in(verdict)));
          named.put(plugin, ofPlugin);
        });
    return named;
  }

  private Verdict in(Verdict verdict) {
    return verdict.withReasons(
        verdict.reasons().stream()
            .map(reason -> ClaimPlaceholder.replacedIn(reason, names))
            .toList());
  }
}
