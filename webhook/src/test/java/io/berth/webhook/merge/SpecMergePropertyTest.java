package io.berth.webhook.merge;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/**
 * Random pods, configs, and nodes. The number of the repetition is the seed, so failures are
 * reproducible.
 */
class SpecMergePropertyTest {
  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
  private static final List<String> KEYS = List.of("pool", "zone", "disk");
  private static final List<String> VALUES = List.of("1", "2", "3");

  @RepeatedTest(400)
  void aMergedPod_mayRunOnExactlyTheNodesThatThePodAndEveryConfigAllow(RepetitionInfo repetition) {
    SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
    JsonNode pod = randomSpec(random);
    List<RenderedConfig> configs = randomConfigs(random);

    if (!(SpecMerge.merge(pod, configs) instanceof MergeOutcome.Merged merged)) {
      throw new AssertionError("so few terms always fit");
    }

    for (int i = 0; i < 60; i++) {
      String name = random.nextBoolean() ? "node-1" : "node-2";
      Map<String, String> labels = randomLabels(random);
      boolean allowed = NodeTermOracle.allows(pod, name, labels);
      for (RenderedConfig config : configs) {
        allowed &= NodeTermOracle.allows(asSpec(config), name, labels);
      }
      assertThat(NodeTermOracle.allows(merged.fields(), name, labels))
          .as("node %s %s, pod %s, configs %s, merged %s", name, labels, pod, configs, merged)
          .isEqualTo(allowed);
    }
  }

  @RepeatedTest(400)
  void renderingTwiceChangesNothing(RepetitionInfo repetition) {
    SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
    JsonNode pod = randomSpec(random);
    List<RenderedConfig> configs = randomConfigs(random);

    if (!(SpecMerge.merge(pod, configs) instanceof MergeOutcome.Merged once)
        || !(SpecMerge.merge(once.fields(), configs) instanceof MergeOutcome.Merged twice)) {
      throw new AssertionError("so few terms always fit");
    }

    assertThat(twice.fields()).isEqualTo(once.fields());
  }

  @RepeatedTest(400)
  void nothingThatThePodBroughtIsDropped(RepetitionInfo repetition) {
    SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
    JsonNode pod = randomSpec(random);

    if (!(SpecMerge.merge(pod, randomConfigs(random)) instanceof MergeOutcome.Merged merged)) {
      throw new AssertionError("so few terms always fit");
    }

    for (String list :
        List.of(
            "/affinity/nodeAffinity/" + PREFERRED,
            "/affinity/podAffinity/" + REQUIRED,
            "/affinity/podAffinity/" + PREFERRED,
            "/affinity/podAntiAffinity/" + REQUIRED,
            "/affinity/podAntiAffinity/" + PREFERRED,
            "/tolerations",
            "/topologySpreadConstraints")) {
      List<JsonNode> own = items(pod.at(list));
      assertThat(items(merged.fields().at(list)).subList(0, own.size())).isEqualTo(own);
    }
  }

  private static List<JsonNode> items(JsonNode list) {
    List<JsonNode> items = new ArrayList<>();
    list.forEach(items::add);
    return items;
  }

  private static ObjectNode asSpec(RenderedConfig config) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    spec.putObject("affinity").set("nodeAffinity", config.fields().path("nodeAffinity"));
    return spec;
  }

  private static List<RenderedConfig> randomConfigs(SplittableRandom random) {
    List<RenderedConfig> configs = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      ObjectNode fields = randomAffinity(random);
      randomLists(random, fields);
      configs.add(new RenderedConfig("config-" + i, fields));
    }
    return configs;
  }

  private static ObjectNode randomSpec(SplittableRandom random) {
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    if (random.nextInt(4) > 0) {
      spec.set("affinity", randomAffinity(random));
    }
    randomLists(random, spec);
    return spec;
  }

  private static ObjectNode randomAffinity(SplittableRandom random) {
    ObjectNode affinity = JsonNodeFactory.instance.objectNode();
    if (random.nextInt(3) > 0) {
      ObjectNode node = affinity.putObject("nodeAffinity");
      if (random.nextInt(3) > 0) {
        ArrayNode terms = node.putObject(REQUIRED).putArray("nodeSelectorTerms");
        for (int i = random.nextInt(3); i >= 0; i--) {
          terms.add(randomTerm(random));
        }
      }
      for (int i = random.nextInt(3); i > 0; i--) {
        ObjectNode preferred = node.withArray(PREFERRED).addObject();
        preferred.put("weight", 1 + random.nextInt(2)).set("preference", randomTerm(random));
      }
    }
    for (String kind : List.of("podAffinity", "podAntiAffinity")) {
      for (int i = random.nextInt(2); i > 0; i--) {
        affinity.withObject(kind).withArray(REQUIRED).add(randomPodTerm(random));
        affinity
            .withObject(kind)
            .withArray(PREFERRED)
            .addObject()
            .put("weight", 7)
            .set("podAffinityTerm", randomPodTerm(random));
      }
    }
    return affinity;
  }

  private static void randomLists(SplittableRandom random, ObjectNode spec) {
    for (int i = random.nextInt(3); i > 0; i--) {
      ObjectNode toleration = spec.withArray("tolerations").addObject();
      toleration.put("key", pick(random, KEYS)).put("effect", "NoSchedule");
      if (random.nextBoolean()) {
        toleration.put("operator", "Exists");
      } else {
        toleration.put("value", pick(random, VALUES));
      }
    }
    for (String key : KEYS) {
      if (random.nextInt(3) == 0) {
        spec.withArray("topologySpreadConstraints")
            .addObject()
            .put("maxSkew", 1 + random.nextInt(2))
            .put("topologyKey", key)
            .put("whenUnsatisfiable", random.nextBoolean() ? "DoNotSchedule" : "ScheduleAnyway");
      }
    }
  }

  private static ObjectNode randomPodTerm(SplittableRandom random) {
    ObjectNode term = JsonNodeFactory.instance.objectNode();
    term.put("topologyKey", pick(random, KEYS));
    term.putObject("labelSelector").putObject("matchLabels").put("app", pick(random, VALUES));
    return term;
  }

  private static ObjectNode randomTerm(SplittableRandom random) {
    ObjectNode term = JsonNodeFactory.instance.objectNode();
    for (int i = random.nextInt(4); i > 0; i--) {
      ObjectNode expression = term.withArray("matchExpressions").addObject();
      expression.put("key", pick(random, KEYS));
      String operator =
          pick(random, List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "In"));
      expression.put("operator", operator);
      if (operator.endsWith("In")) {
        expression.putArray("values").add(pick(random, VALUES)).add(pick(random, VALUES));
      } else if (operator.endsWith("t") && operator.length() == 2) {
        expression.putArray("values").add(pick(random, VALUES));
      }
    }
    if (random.nextInt(8) == 0) {
      term.putArray("matchFields")
          .addObject()
          .put("key", "metadata.name")
          .put("operator", "In")
          .putArray("values")
          .add("node-" + (1 + random.nextInt(2)));
    }
    return term;
  }

  private static Map<String, String> randomLabels(SplittableRandom random) {
    Map<String, String> labels = new HashMap<>();
    for (String key : KEYS) {
      if (random.nextInt(4) > 0) {
        labels.put(key, pick(random, VALUES));
      }
    }
    return labels;
  }

  private static String pick(SplittableRandom random, List<String> from) {
    return from.get(random.nextInt(from.size()));
  }
}
