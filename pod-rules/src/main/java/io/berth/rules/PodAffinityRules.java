package io.berth.rules;

import com.fasterxml.jackson.databind.JsonNode;

/** The rules for pod affinity and pod anti-affinity. */
final class PodAffinityRules {
  private final Checks checks;
  private final SelectorRules selectors;
  private final LabelKeyRules keys;

  PodAffinityRules(Checks checks, boolean merged) {
    this.checks = checks;
    this.selectors = new SelectorRules(checks);
    this.keys = new LabelKeyRules(checks, merged);
  }

  void check(JsonNode affinity, String path) {
    JsonNode required = affinity.path(NodeAffinityRules.REQUIRED);
    for (int i = 0; i < required.size(); i++) {
      term(required.get(i), path + "." + NodeAffinityRules.REQUIRED + "[" + i + "]");
    }
    JsonNode preferred = affinity.path(NodeAffinityRules.PREFERRED);
    for (int i = 0; i < preferred.size(); i++) {
      String at = path + "." + NodeAffinityRules.PREFERRED + "[" + i + "]";
      checks.weight(preferred.get(i).path("weight"), at + ".weight");
      term(preferred.get(i).path("podAffinityTerm"), at + ".podAffinityTerm");
    }
  }

  private void term(JsonNode term, String path) {
    selectors.check(term.path("labelSelector"), path + ".labelSelector");
    selectors.check(term.path("namespaceSelector"), path + ".namespaceSelector");
    JsonNode namespaces = term.path("namespaces");
    for (int i = 0; i < namespaces.size(); i++) {
      if (checks.isKnown(namespaces.get(i))) {
        String name = Checks.text(namespaces.get(i));
        checks.invalid(
            path + ".namespaces[" + i + "]",
            path + ".namespace",
            name,
            LabelSyntax.ofDnsLabel(name));
      }
    }
    keys.check(term, path);
    JsonNode topologyKey = term.path("topologyKey");
    if (checks.isKnown(topologyKey) && Checks.text(topologyKey).isEmpty()) {
      checks.add(Violation.required(path + ".topologyKey", "can not be empty"));
    }
    checks.labelName(topologyKey, path + ".topologyKey");
  }
}
