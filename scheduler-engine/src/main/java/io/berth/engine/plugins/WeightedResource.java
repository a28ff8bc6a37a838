package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.engine.model.ResourceAmounts;
import io.berth.rules.LabelSyntax;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A resource in a score.
 *
 * @param weight its weight relative to the others, 1 to 100
 */
public record WeightedResource(String name, long weight) {
  private static final List<String> NATIVE = List.of("cpu", "memory", "ephemeral-storage");
  private static final String HUGE_PAGES = "hugepages-";

  /** The default resources: CPU and memory, with equal weights. */
  static final List<WeightedResource> CPU_AND_MEMORY =
      List.of(
          new WeightedResource(ResourceAmounts.CPU, 1),
          new WeightedResource(ResourceAmounts.MEMORY, 1));

  /** Parses the argument {@code resources}; CPU and memory if it is absent. */
  static List<WeightedResource> read(Arguments arguments) {
    if (!arguments.has("resources")) {
      return CPU_AND_MEMORY;
    }
    List<WeightedResource> resources = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Arguments resource : arguments.objects("resources")) {
      String name = resource.text("name", "");
      long weight = resource.integer("weight", 1, 100, 1);
      resource.finish();
      if (name.isEmpty()) {
        resource.problem("name", "must name a resource, such as cpu or nvidia.com/gpu");
      } else if (!names.add(name)) {
        resource.problem("name", "\"" + name + "\" is a duplicate");
      } else {
        checkName(resource, "name", name);
        resources.add(new WeightedResource(name, weight));
      }
    }
    if (resources.isEmpty()) {
      arguments.problem("resources", "must name at least one resource");
      resources.add(new WeightedResource(ResourceAmounts.CPU, 1));
    }
    return resources;
  }

  /** Returns whether the resource is defined by Kubernetes. */
  static boolean isNative(String name) {
    return NATIVE.contains(name) || name.startsWith(HUGE_PAGES);
  }

  /**
   * Reports a name that no node can offer: native resources have fixed names, others a domain
   * prefix.
   */
  static void checkName(Arguments arguments, String field, String name) {
    if (!isNative(name) && (!name.contains("/") || !LabelSyntax.ofLabelName(name).isEmpty())) {
      arguments.problem(
          field,
          "\""
              + name
              + "\" is not a resource of nodes; accepted: "
              + String.join(", ", NATIVE)
              + ", "
              + HUGE_PAGES
              + "<size>, and extended resources with a domain, such as nvidia.com/gpu");
    }
  }
}
