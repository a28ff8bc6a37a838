package io.berth.demo.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.query.QueryApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * The text and the exit code of {@code kubectl berth} for given answers. A script takes the place
 * of kubectl: it lets kubectl print an object of a file, and needs no cluster.
 */
@EnabledIf(
    value = "io.berth.demo.plugin.KubectlPluginTest#kubectlIsThere",
    disabledReason = "kubectl is not on the PATH, so the plugin is not tested")
class KubectlTextTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path directory;

  @BeforeEach
  void putScript() throws IOException {
    Files.writeString(directory.resolve("kubeconfig"), "{apiVersion: v1, kind: Config}");
    Path script =
        Files.writeString(
            directory.resolve("kubectl-of-file"),
            """
            #!/bin/sh
            for last in "$@"; do
              case $last in go-template=*) format=$last ;; esac
            done
            case "$*" in
              *'get decisions'* | *'create --validate=warn'*)
                exec kubectl patch --local -f answer.json --type merge -p '{}' -o "${format:-json}"
                ;;
              *'create --dry-run=client'*) printf 'SchedulingPolicy\\tusual\\t/\\t{}\\n' ;;
              *'patch --local'*) exec kubectl "$@" ;;
            esac
            """);
    assertThat(script.toFile().setExecutable(true)).isTrue();
    Files.writeString(directory.resolve("policy.yaml"), "kind: SchedulingPolicy\n");
  }

  private PluginRun run(String kind, String status, String... arguments) throws Exception {
    Files.writeString(
        directory.resolve("answer.json"),
        """
        {"apiVersion": "query.sched.cloud.ctrip.com/v1alpha1", "kind": "%s",
         "metadata": {"name": "web", "creationTimestamp": "2026-01-02T00:00:00Z"},
         "status": %s}
        """
            .formatted(kind, status.replace('\'', '"')));
    return PluginRun.of(
        directory, Map.of("KUBECTL", directory.resolve("kubectl-of-file").toString()), arguments);
  }

  private List<String> why(String status) throws Exception {
    PluginRun why = run("Decision", status, "why", "web");
    assertThat(why.out()).doesNotContain("<no value>", "<nil>", "%!", "There is no record");
    return why.out()
        .lines()
        .dropWhile(line -> !line.startsWith("Record of the last decision"))
        .skip(1)
        .map(String::strip)
        .toList();
  }

  @Test
  void why_showsAllOfAPlacement() throws Exception {
    assertThat(
            why(
                """
                {'result': 'Placed', 'node': 'n1', 'attempts': 4, 'outcome': 'bound',
                 'bindingMillis': 12, 'policy': {'name': 'usual', 'revision': '3'},
                 'message': 'placed on n1',
                 'nominatedBefore': {'node': 'n1',
                   'evictions': {'pods': 2, 'ofOtherNamespaces': 1, 'names': ['old']}},
                 'earlier': [
                   {'result': 'Unschedulable', 'at': '2026-01-01T00:00:02Z', 'times': 3,
                    'message': 'no room'},
                   {'result': 'Placed', 'at': '2026-01-01T00:00:01Z', 'times': 1, 'node': 'n2',
                    'outcome': 'the Binding failed'}],
                 'nodes': {'total': 9, 'feasible': 2, 'notConsidered': 5},
                 'devices': ['gpu-1 for one of claim'], 'cards': {'main': ['card-1', 'card-2']},
                 'decidedBy': {'runnerUp': 'n3', 'lead': 20, 'plugins': [
                   {'plugin': 'ImageLocality', 'points': 30}, {'plugin': 'Other', 'points': -10}]},
                 'shadow': {'policy': 'packed', 'result': 'Evicting', 'node': 'n4',
                            'message': 'after evicting 1 pod'},
                 'notes': ['the extender was skipped'],
                 'rejections': [{'plugin': 'Filter', 'reason': 'too small', 'nodes': 2}],
                 'bestNodes': [{'node': 'n1', 'total': 50, 'plugins': [
                   {'plugin': 'ImageLocality', 'raw': 7, 'normalized': 50, 'weight': 1}]}]}
                """))
        .containsExactly(
            "decided   2026-01-02T00:00:00Z, attempt 4",
            "policy    usual, revision 3",
            "result    Placed on n1, bound, the Binding took 12 ms",
            "reason    placed on n1",
            "before    nominated for n1 after evicting 2, of other namespaces 1 old",
            "earlier   Unschedulable, 3 times, the last at 2026-01-01T00:00:02Z: no room",
            "earlier   Placed on n2 at 2026-01-01T00:00:01Z, the Binding failed",
            "nodes     9 in the cluster, 2 feasible, 5 not considered: the pod was nominated for a"
                + " node, or enough nodes were found",
            "device    gpu-1 for one of claim",
            "cards     main: card-1 card-2",
            "because   ImageLocality +30, Other -10; total +20 over n3",
            "shadow    packed would select n4, with evictions: after evicting 1 pod",
            "note      the extender was skipped",
            "rejected nodes:",
            "2  Filter: too small",
            "best nodes (score, weight, raw):",
            "50  n1",
            "ImageLocality                        50 x 1     7");
  }

  @Test
  void why_ofAPodThatWaits_saysWhatItWaitsFor_andWhatItWouldEvict() throws Exception {
    assertThat(
            why(
                """
                {'result': 'Unschedulable', 'cause': 'NoRoom', 'attempts': 1, 'message': 'no room',
                 'policy': {'name': '', 'revision': ''}, 'group': 'job',
                 'groupProgress': {'placed': 1, 'minimum': 3, 'waiting': 2},
                 'nodes': {'total': 2, 'feasible': 0, 'notConsidered': 0},
                 'wouldEvict': {'pods': 1, 'ofOtherNamespaces': 0, 'names': ['old']},
                 'shadow': {'policy': 'packed', 'result': 'Same'}}
                """))
        .containsExactly(
            "decided   2026-01-02T00:00:00Z, attempt 1",
            "policy    none named and no default: the defaults of kube-scheduler",
            "result    Unschedulable",
            "reason    no room",
            "cause     NoRoom",
            "with      job, 1 of at least 3 pods placed, 2 waiting",
            "nodes     2 in the cluster, 0 feasible",
            "would     evict 1, of other namespaces 0 old; the policy only reports it",
            "shadow    packed would select no node either");
  }

  @Test
  void why_withoutTheRightToListNodes_namesNoOtherNode() throws Exception {
    String decision =
        """
        {'result': 'Placed', 'node': 'n1', 'attempts': 1, 'policy': {'name': 'lost'},
         'nodes': {'total': 2, 'feasible': 2, 'notConsidered': 0},
         'nominatedBefore': {'evictions': {'pods': 1, 'ofOtherNamespaces': 1, 'names': []}},
         'decidedBy': {'lead': 0, 'plugins': [
           {'plugin': 'ImageLocality', 'points': 30}, {'plugin': 'Other', 'points': -30}]},
         'shadow': {'policy': 'packed', 'result': '%s'}}
        """;

    assertThat(why(decision.formatted("Elsewhere")))
        .contains(
            "policy    lost, which is not served",
            "before    nominated for another node after evicting 1, of other namespaces 1")
        .contains(
            "because   it was in turn: another node has the same total score;"
                + " ImageLocality +30, Other -30")
        .contains("shadow    packed would select another node");
    assertThat(why(decision.formatted("FitsNowhere")))
        .contains("shadow    packed would select no node");
    assertThat(why(decision.formatted("Failed"))).contains("shadow    packed gave no answer");
    String rest = ", 'attempts': 1, 'policy': {}, 'nodes': {'total': 2, 'feasible': 0}}";
    assertThat(why("{'result': 'Nominated', 'node': 'n1'" + rest))
        .contains("result    Nominated for n1");
    assertThat(why("{'result': 'Quarantined', 'until': 'noon'" + rest))
        .contains("result    Quarantined until noon");
  }

  @Test
  void why_showsEveryFieldOfADecision() throws IOException {
    String template = Files.readString(PluginRun.script());
    JsonNode schema;
    try (var schemas = QueryApi.class.getResourceAsStream("schemas.json")) {
      schema = JSON.readTree(schemas).at("/Decision/properties/status/properties");
    }

    assertThat(schema).isNotEmpty();
    schema
        .fieldNames()
        .forEachRemaining(
            field -> {
              if (!field.equals("applied")) { // shown as an annotation of the pod
                assertThat(template).contains(".status." + field);
              }
            });
  }

  private int codeOfTry(String displaced, String text) throws Exception {
    String status =
        "{'result': 'Fits', 'message': 'all fit', 'displacedPods': %s}".formatted(displaced);
    PluginRun plain = run("PlacementReview", status, "try", "--pod", "web");
    PluginRun json = run("PlacementReview", status, "try", "--pod", "web", "-o", "json");

    assertThat(plain.out()).isEqualTo("Fits: all fit\n" + text);
    assertThat(JSON.readTree(json.out()).at("/status/result").asText()).isEqualTo("Fits");
    assertThat(json.code()).as(json.err()).isEqualTo(plain.code());
    return plain.code();
  }

  @Test
  void try_exitsWith3_ifPodsOfDrainedNodesFitNowhere() throws Exception {
    assertThat(
            codeOfTry(
                "{'pods': 3, 'placed': 2, 'ofOtherSchedulers': 0}",
                "displaced  3 pods of drained nodes, of which 2 fit elsewhere\n"))
        .isEqualTo(3);
    assertThat(
            codeOfTry(
                "{'pods': 3, 'placed': 3, 'ofOtherSchedulers': 2}",
                "displaced  3 pods of drained nodes, of which 3 fit elsewhere;"
                    + " and 2 of other schedulers, which are not tried\n"))
        .isZero();
    assertThat(codeOfTry("null", "")).isZero();
  }

  @Test
  void try_saysThatExtendersWereNotAsked_andWhatThePolicyWouldEvict() throws Exception {
    PluginRun not =
        run(
            "PlacementReview",
            """
            {'result': 'DoesNotFit', 'message': 'no room', 'extendersAsked': false,
             'notPlacedBecause': {'waits': true,
               'wouldEvict': {'pods': 2, 'ofOtherNamespaces': 1, 'names': ['old']}}}
            """,
            "try",
            "--pod",
            "web");

    assertThat(not.out())
        .contains("extenders  are not asked, and count as accepting everything\n")
        .contains("waits      it would be placed soon without a change\n")
        .contains("would evict 2 pods, of other namespaces 1 old; the policy only reports it\n");
    assertThat(not.code()).as(not.err()).isEqualTo(3);

    PluginRun plain =
        run(
            "PlacementReview",
            "{'result': 'DoesNotFit', 'message': 'no', 'notPlacedBecause': {'waits': false}}",
            "try",
            "--pod",
            "web");
    assertThat(plain.out()).isEqualTo("DoesNotFit: no\n");
  }

  private int codeOfDiff(String result, String more) throws Exception {
    String status = "{'result': '%s', 'message': 'of 3 pods'%s}".formatted(result, more);
    PluginRun text = run("PolicyReview", status, "diff", "-f", "policy.yaml");
    PluginRun json = run("PolicyReview", status, "diff", "-f", "policy.yaml", "-o", "json");

    assertThat(text.out()).startsWith(result + ": of 3 pods\n");
    assertThat(json.out()).contains("\"result\": \"" + result + "\"");
    assertThat(json.code()).as(json.err()).isEqualTo(text.code());
    return text.code();
  }

  @Test
  void diff_exitsWith3_ifPodsAreRejectedOrEvicted_orTheirFateIsUnknown() throws Exception {
    assertThat(codeOfDiff("NoEffect", "")).isZero();
    assertThat(codeOfDiff("PodsMove", ", 'unknownOrigin': 0, 'evicting': 0")).isZero();
    assertThat(codeOfDiff("PodsMove", ", 'evictions': {'pods': 1, 'names': ['a/b']}")).isEqualTo(3);
    assertThat(codeOfDiff("PodsMove", ", 'unknownOrigin': 1")).isEqualTo(3);
    assertThat(codeOfDiff("PodsRejected", "")).isEqualTo(3);
    assertThat(codeOfDiff("Unknown", "")).isEqualTo(3);
  }

  @Test
  void diff_saysThatExtendersWereNotAsked() throws Exception {
    String status = "{'result': 'NoEffect', 'message': 'none'%s}";

    assertThat(
            run(
                    "PolicyReview",
                    status.formatted(", 'extendersAsked': false"),
                    "diff",
                    "-f",
                    "policy.yaml")
                .out())
        .isEqualTo("NoEffect: none\nextenders  are not asked, and count as accepting everything\n");
    assertThat(run("PolicyReview", status.formatted(""), "diff", "-f", "policy.yaml").out())
        .isEqualTo("NoEffect: none\n");
  }
}
