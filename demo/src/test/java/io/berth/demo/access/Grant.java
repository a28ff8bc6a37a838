package io.berth.demo.access;

import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.util.List;
import java.util.stream.Stream;

/**
 * The permission for a verb on a resource.
 *
 * @param verb the verb in RBAC
 * @param group the API group, empty for core
 * @param resource the resource with its subresource, such as {@code pods/binding}
 */
record Grant(String verb, String group, String resource) implements Comparable<Grant> {

  /** Returns the grants of a list of rules, without resource names. */
  static Stream<Grant> of(List<PolicyRule> rules) {
    return rules.stream()
        .flatMap(
            rule ->
                rule.getApiGroups().stream()
                    .flatMap(
                        group ->
                            rule.getResources().stream()
                                .flatMap(
                                    resource ->
                                        rule.getVerbs().stream()
                                            .map(verb -> new Grant(verb, group, resource)))));
  }

  @Override
  public int compareTo(Grant other) {
    return toString().compareTo(other.toString());
  }

  @Override
  public String toString() {
    return resource + (group.isEmpty() ? "" : "." + group) + " " + verb;
  }
}
