package io.berth.engine.model;

import java.util.List;

/**
 * The images of a pod.
 *
 * @param names one entry for every init container, container and image volume, with {@code :latest}
 *     if the name has no tag
 * @param containers the number of entries for init containers and containers
 */
public record PodImages(List<String> names, int containers) {
  public PodImages {
    names = List.copyOf(names);
  }
}
