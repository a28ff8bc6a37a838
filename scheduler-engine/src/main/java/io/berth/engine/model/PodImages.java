package io.berth.engine.model;

import java.util.List;

/**
 * The images a pod needs on its node.
 *
 * @param names one entry for every init container, container and image volume, with {@code :latest}
 *     where the name has no tag
 * @param containers how many of them are init containers and containers
 */
public record PodImages(List<String> names, int containers) {
  public PodImages {
    names = List.copyOf(names);
  }
}
