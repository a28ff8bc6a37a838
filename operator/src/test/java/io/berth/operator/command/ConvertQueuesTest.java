package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queues of YuniKorn become SchedulingQueues. */
class ConvertQueuesTest {
  @TempDir Path folder;

  private CommandRun convert(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("queues.yaml"), text);
    return CommandRun.of("convert", file.toString());
  }

  /** Checks the printed manifests, as a user would before applying them. */
  private void assertAccepted(CommandRun run) throws IOException {
    Path file = Files.writeString(folder.resolve("converted.yaml"), run.out());
    CommandRun check = CommandRun.of("check", "--strict", "-f", file.toString());
    assertThat(check.exitCode()).as(run.out() + check.out()).isZero();
  }

  /** The values are those of YuniKorn's own example. */
  @Test
  void queuesBelowTheRoot_becomeSchedulingQueues_andTheRestIsListed() throws IOException {
    CommandRun run =
        convert(
            """
            partitions:
            - name: default
              nodesortpolicy: {type: binpacking}
              placementrules:
              - {name: User, create: true}
              - {name: Provided, create: true}
              limits:
              - {limit: resource limit for user, users: [user1], maxresources: {vcore: 10}}
              queues:
              - name: root
                queues:
                - name: advertisement
                  resources:
                    guaranteed: {memory: 500G, vcore: 50}
                    max: {memory: 800G, vcore: 80}
                - name: sandbox
                  parent: true
                  submitacl: " sandbox"
                  maxapplications: 10
                  properties: {application.sort.policy: fair}
            - name: gpu
              queues: [{name: production}]
            """);

    assertThat(run.out())
        .contains(
            """
            ---
            # root.advertisement, for pods with the label sched.cloud.ctrip.com/queue: advertisement
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingQueue
            metadata:
              name: advertisement
            spec:
              guarantee:
                cpu: "50"
                memory: 500G
              limit:
                cpu: "80"
                memory: 800G
            """,
            "# - placementrules[0] user: Berth places pods by their namespace, or by a label",
            "# - limits: Berth limits queues, not users or groups",
            "# - queue root.sandbox, maxapplications: Berth limits resources, also pods, but not"
                + " applications",
            "# - queue root.sandbox, properties: application.sort.policy have no equivalent",
            "# - queue root.sandbox, submitacl: spec.namespaces says whose pods may belong",
            "# - queue root.sandbox, parent: it has no parts, so pods can belong to it",
            "# - partition gpu: YuniKorn uses only the partition default on Kubernetes",
            "# - the file names no namespaces: add spec.namespaces to each queue",
            "# - nodesortpolicy binpacking: the scores of the SchedulingPolicy choose nodes")
        .doesNotContain("production");
    assertThat(run.exitCode()).isEqualTo(1);
    assertAccepted(run);
  }

  @Test
  void queuesThatAreNamedAsNamespaces_admitThem_withTheRuleForNamespaces() throws IOException {
    CommandRun run =
        convert(
            """
            partitions:
            - name: default
              placementrules: [{name: tag, value: namespace}]
              queues:
              - name: root
                submitacl: "*"
                queues:
                - {name: team-a, resources: {max: {vcore: 500m, nvidia.com/gpu: 2}}}
            """);

    assertThat(run.out())
        .contains(
            """
            spec:
              limit:
                cpu: 500m
                nvidia.com/gpu: "2"
              namespaces:
                names:
                - team-a
            """)
        .doesNotContain("equivalent");
    assertThat(run.exitCode()).isZero();
    assertAccepted(run);
  }

  /** YuniKorn adds up the guarantees of parts; the webhook of Berth wants them in the whole. */
  @Test
  void queueWithParts_isGuaranteedWhatTheyAre() throws IOException {
    CommandRun run =
        convert(
            """
            partitions:
            - name: default
              queues:
              - name: ML_Team
                resources: {guaranteed: {memory: 4Gi}}
                queues:
                - {name: train, resources: {guaranteed: {vcore: 2, memory: 1Gi}}}
                - name: serve
                  queues: [{name: eu, resources: {guaranteed: {vcore: 1500m}}}]
            """);

    assertThat(run.out())
        .contains(
            """
            # root.ML_Team
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingQueue
            metadata:
              name: ml-team
            spec:
              guarantee:
                cpu: 3500m
                memory: 4Gi
            """,
            "name: ml-team.serve.eu\nspec:\n  parent: ml-team.serve\n",
            "# - queue root.ML_Team is named ml-team");
    assertAccepted(run);
  }

  @Test
  void configMapOfYunikorn_isRead() throws IOException {
    CommandRun run =
        convert(
            """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: yunikorn-configs, namespace: yunikorn}
            data:
              queues.yaml: |
                partitions:
                - name: default
                  queues: [{name: root, queues: [{name: default}]}]
            """);

    assertThat(run.out()).contains("metadata:\n  name: default\nspec: {}\n");
    assertAccepted(run);
  }

  @Test
  void defaultQueueWithParts_hasAnotherName_becauseTheDefaultOfBerthHasNone() throws IOException {
    CommandRun run =
        convert(
            """
            partitions:
            - name: default
              queues: [{name: default, queues: [{name: a}]}]
            """);

    assertThat(run.out()).contains("name: root-default\n", "parent: root-default\n");
    assertAccepted(run);
  }

  @Test
  void wrongFiles_areRefused() throws IOException {
    assertThat(convert("partitions: all").err()).contains("partitions is no list of partitions");
    assertThat(convert("queues: []").err())
        .contains("it has no kind: give", "or the queues.yaml of YuniKorn");
    assertThat(
            convert("partitions: [{name: default, queues: [{resources: {max: {vcore: 1}}}]}]")
                .err())
        .contains("a queue without a name");
    CommandRun run =
        convert(
            "partitions: [{name: default, queues: [{name: a, resources: {max: {memory: much}}}]}]");
    assertThat(run.out()).contains("queue root.a, resources.max.memory: ");
    assertThat(run.exitCode()).isEqualTo(1);
  }
}
