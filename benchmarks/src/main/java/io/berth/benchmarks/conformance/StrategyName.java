package io.berth.benchmarks.conformance;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;

/**
 * The name of a scoring strategy in the vectors: {@code
 * NodeResourcesBalancedAllocation/cpu=1,memory=1}, {@code
 * NodeResourcesFit/MostAllocated/cpu=1,nvidia.com/gpu=5}, or {@code
 * NodeResourcesFit/RequestedToCapacityRatio/0:0,100:10/cpu=1}. Resource names may contain slashes.
 *
 * @param type the type of the strategy; empty if the plugin has no types
 * @param shape the points {@code utilization:score}; empty if the type has no shape
 * @param resources the resources as {@code name=weight}
 */
record StrategyName(String plugin, String type, List<String> shape, List<String> resources) {

  static StrategyName parse(String name) {
    String[] start = name.split("/", 2);
    String rest = start[1];
    String type = "";
    List<String> shape = List.of();
    if (rest.matches("[A-Za-z]+/.*")) {
      String[] typed = rest.split("/", 2);
      type = typed[0];
      rest = typed[1];
    }
    if (rest.matches("[0-9]+:.*")) {
      String[] shaped = rest.split("/", 2);
      shape = List.of(shaped[0].split(",", -1));
      rest = shaped[1];
    }
    return new StrategyName(start[0], type, shape, List.of(rest.split(",", -1)));
  }

  void addResources(ArrayNode target) {
    for (String resource : resources) {
      int equals = resource.indexOf('=');
      target
          .addObject()
          .put("name", resource.substring(0, equals))
          .put("weight", Integer.parseInt(resource.substring(equals + 1)));
    }
  }

  void addShape(ArrayNode target) {
    for (String point : shape) {
      int colon = point.indexOf(':');
      target
          .addObject()
          .put("utilization", Integer.parseInt(point.substring(0, colon)))
          .put("score", Integer.parseInt(point.substring(colon + 1)));
    }
  }
}
