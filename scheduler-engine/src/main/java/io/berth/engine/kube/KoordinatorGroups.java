package io.berth.engine.kube;

import static io.berth.engine.kube.PodCompiler.orEmpty;

import io.berth.crds.schema.DurationText;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.MatchPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads gangs from Koordinator's annotations and legacy labels.
 *
 * <p>A gang may be tied to others: either all of them start or none. Such a bundle is one group
 * here, and each gang is a role in it. A pod declares the minimum of its own gang only, so the
 * minimums of all gangs are merged.
 */
final class KoordinatorGroups {
  static final String PREFIX = "gang.scheduling.koordinator.sh/";
  static final String NAME = PREFIX + "name";
  static final String MIN = PREFIX + "min-available";
  static final String WAITING_TIME = PREFIX + "waiting-time";
  static final String MODE = PREFIX + "mode";
  static final String GROUPS = PREFIX + "groups";
  static final String MATCH_POLICY = PREFIX + "match-policy";
  static final String OLD_NAME = "pod-group.scheduling.sigs.k8s.io/name";
  static final String OLD_MIN = "pod-group.scheduling.sigs.k8s.io/min-available";
  static final String OLD_MATCH_POLICY = "pod-group.scheduling.sigs.k8s.io/match-policy";
  private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"");
  private static final int MOST_GANGS = 100;

  private KoordinatorGroups() {}

  static Optional<GroupMembership> of(
      String namespace, Map<String, String> annotations, Map<String, String> labels) {
    String name = orEmpty(annotations.get(NAME));
    boolean old = name.isEmpty();
    String gang = old ? orEmpty(labels.get(OLD_NAME)) : name;
    if (gang.isEmpty()) {
      return Optional.empty();
    }
    int min =
        old
            ? GroupReading.wholeNumber(labels, OLD_MIN, 1)
            : GroupReading.wholeNumber(annotations, MIN, 1);
    String mode = annotations.getOrDefault(MODE, "Strict");
    if (!mode.equals("Strict") && !mode.equals("NonStrict")) {
      throw GroupReading.wrong(MODE, mode, "Strict or NonStrict");
    }
    if (mode.equals("NonStrict")) {
      return Optional.empty(); // Its pods are scheduled one by one, regardless of the others.
    }
    String own = namespace + "/" + gang;
    List<String> bundle = bundle(annotations, own);
    GroupRef ref =
        bundle.size() == 1
            ? new GroupRef(GroupDialect.KOORDINATOR, namespace, gang)
            : new GroupRef(GroupDialect.KOORDINATOR, "", String.join(",", bundle));
    GroupModel model =
        GroupModel.of(ref, bundle.size() == 1 ? min : 0)
            .withRoles(bundle.size() == 1 ? Map.of() : minimums(bundle, own, min))
            .waitingFor(timeout(annotations))
            .matchedBy(matchPolicy(annotations));
    return Optional.of(new GroupMembership(ref, bundle.size() == 1 ? "" : own, Optional.of(model)));
  }

  /** Returns the gangs that start together, each with its namespace, in order. */
  private static List<String> bundle(Map<String, String> annotations, String own) {
    List<String> gangs = new ArrayList<>();
    String text = orEmpty(annotations.get(GROUPS));
    Matcher quoted = QUOTED.matcher(text);
    while (quoted.find() && gangs.size() < MOST_GANGS) {
      gangs.add(quoted.group(1));
    }
    if (!text.isEmpty() && !text.equals("[]") && gangs.isEmpty()) {
      throw GroupReading.wrong(GROUPS, text, "a JSON list of names such as [\"team/gang-a\"]");
    }
    if (!gangs.contains(own)) {
      gangs.add(own);
    }
    return gangs.stream().distinct().sorted().toList();
  }

  /** Returns the minimums; of the other gangs it is only known that they must be present. */
  private static Map<String, Integer> minimums(List<String> bundle, String own, int min) {
    Map<String, Integer> minimums = new HashMap<>();
    bundle.forEach(gang -> minimums.put(gang, gang.equals(own) ? min : 1));
    return minimums;
  }

  /** Returns the match policy from the annotation, or else from the legacy annotation. */
  private static MatchPolicy matchPolicy(Map<String, String> annotations) {
    String key = orEmpty(annotations.get(MATCH_POLICY)).isEmpty() ? OLD_MATCH_POLICY : MATCH_POLICY;
    String policy = orEmpty(annotations.get(key));
    return switch (policy) {
      case "only-waiting" -> MatchPolicy.ONLY_WAITING;
      case "waiting-and-running" -> MatchPolicy.WAITING_AND_RUNNING;
      case "once-satisfied", "" -> MatchPolicy.ONCE_SATISFIED;
      default ->
          throw GroupReading.wrong(
              key, policy, "only-waiting, waiting-and-running, or once-satisfied");
    };
  }

  private static Duration timeout(Map<String, String> annotations) {
    String text = annotations.get(WAITING_TIME);
    return text == null
        ? GroupModel.DEFAULT_TIMEOUT
        : DurationText.read(text)
            .orElseThrow(() -> GroupReading.wrong(WAITING_TIME, text, "a duration such as 600s"));
  }
}
