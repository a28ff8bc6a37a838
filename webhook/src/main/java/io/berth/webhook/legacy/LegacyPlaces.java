package io.berth.webhook.legacy;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Maps paths in a translated policy to paths in the legacy policy, so that problems of the
 * translation are reported at their original positions.
 *
 * @param priorities the index in the legacy policy of each priority in the translation
 */
public record LegacyPlaces(List<Integer> priorities) {
  private static final Pattern PRIORITY = Pattern.compile("spec\\.priorities\\[([0-9]+)](.*)");

  public LegacyPlaces {
    priorities = List.copyOf(priorities);
  }

  /**
   * Returns the path in the legacy policy.
   *
   * @param path a path in the translation, such as {@code spec.priorities[0].weight}
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
