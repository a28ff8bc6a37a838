package io.berth.webhook.legacy;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The origins of a translated policy's parts, so that problems of the translation are reported at
 * their original positions.
 *
 * @param priorities for each priority of the translation its index in the legacy policy
 */
public record LegacyPlaces(List<Integer> priorities) {
  private static final Pattern PRIORITY = Pattern.compile("spec\\.priorities\\[([0-9]+)](.*)");

  public LegacyPlaces {
    priorities = List.copyOf(priorities);
  }

  /**
   * The place in the legacy policy.
   *
   * @param path a place in the translation, such as {@code spec.priorities[0].weight}
   */
  public String of(String path) {
    Matcher priority = PRIORITY.matcher(path);
    if (priority.matches() && Integer.parseInt(priority.group(1)) < priorities.size()) {
      String rest =
          priority
              .group(2)
              .replace(
                  ".args.scoringStrategy.requestedToCapacityRatio.",
                  ".argument.requestedToCapacityRatioArguments.")
              .replace(".args.scoringStrategy.", ".argument.requestedToCapacityRatioArguments.");
      return "priorities[" + priorities.get(Integer.parseInt(priority.group(1))) + "]" + rest;
    }
    return path.startsWith("spec.") ? path.substring("spec.".length()) : path;
  }
}
