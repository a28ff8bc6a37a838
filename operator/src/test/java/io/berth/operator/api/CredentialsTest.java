package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.api.FrontEnd.Asked;
import io.berth.operator.api.FrontEnd.Reply;
import io.berth.operator.api.FrontEnd.Speaks;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Expiring tokens of an exec plugin. */
class CredentialsTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir private Path folder;
  private final AtomicLong nanoTime = new AtomicLong();
  private volatile String accepted = "Bearer first";

  @BeforeEach
  void plugin() throws IOException {
    Path script = folder.resolve("plugin.sh");
    Files.writeString(
        script,
        """
        #!/bin/sh
        echo run >> %1$s/runs
        printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%%s"}}' "$(cat %1$s/token)"
        """
            .formatted(folder));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    token("first");
  }

  private void token(String token) throws IOException {
    Files.writeString(folder.resolve("token"), token);
  }

  private int runs() throws IOException {
    return Files.readAllLines(folder.resolve("runs")).size();
  }

  private void pass(Duration time) {
    nanoTime.addAndGet(time.toNanos());
  }

  private Config kubeconfig(FrontEnd server) throws IOException {
    Path file = folder.resolve("kubeconfig");
    Files.writeString(
        file,
        """
        apiVersion: v1
        kind: Config
        current-context: c
        contexts: [{name: c, context: {cluster: k, user: u}}]
        clusters: [{name: k, cluster: {server: "%s", certificate-authority: "%s/ca.crt"}}]
        users:
        - name: u
          user:
            exec:
              apiVersion: client.authentication.k8s.io/v1
              command: %s/plugin.sh
              interactiveMode: Never
        """
            .formatted(server.url(), folder, folder));
    server.writeAuthority(folder.resolve("ca.crt"));
    return Config.fromKubeconfig(file.toFile());
  }

  private Reply checked(Asked asked) {
    return asked.authorization().equals(List.of(accepted))
        ? Reply.of(200, "{}")
        : Reply.of(401, "{\"message\":\"Unauthorized\"}");
  }

  private static CompletableFuture<Answer> post(HttpApiCalls api) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    api.post("/api/v1/x", new ObjectMapper().valueToTree(Map.of()), answer::complete);
    return answer;
  }

  private static int code(CompletableFuture<Answer> coming) throws Exception {
    return coming.get(SOON.toSeconds(), TimeUnit.SECONDS).code();
  }

  @Test
  void expiredToken_isRenewedByOneRunOfThePlugin_forAllCallsOfAllClients() throws Exception {
    try (FrontEnd server = new FrontEnd(Speaks.BOTH, this::checked)) {
      ClusterAccess access = ClusterAccess.of(kubeconfig(server), nanoTime::get);
      // The server may close a connection; a client without retries reports that to its caller.
      try (HttpApiCalls api = new HttpApiCalls(access, SOON);
          KubernetesClient client = access.client()) {
        assertThat(code(post(api))).isEqualTo(200);
        assertThat(runs()).isEqualTo(1);

        pass(Duration.ofSeconds(30));
        token("second");
        accepted = "Bearer second";
        List<CompletableFuture<Answer>> coming =
            IntStream.range(0, 30).mapToObj(i -> post(api)).toList();
        assertThat(client.raw("/api")).isEqualTo("{}");

        for (CompletableFuture<Answer> each : coming) {
          assertThat(code(each)).isEqualTo(200);
        }
        assertThat(runs()).isEqualTo(2);
        assertThat(server.asked())
            .allSatisfy(asked -> assertThat(asked.authorization()).hasSize(1));
      }
    }
  }

  @Test
  void tokenOfAMinuteAgo_isReadAgainBesideTheCalls_whichCarryOneHeader() throws Exception {
    try (FrontEnd server = new FrontEnd(Speaks.BOTH, asked -> Reply.of(200, "{}"))) {
      ClusterAccess access = ClusterAccess.of(kubeconfig(server), nanoTime::get);
      try (HttpApiCalls api = new HttpApiCalls(access, SOON)) {
        token("second");
        pass(Duration.ofSeconds(61));

        await()
            .atMost(SOON)
            .untilAsserted(
                () -> {
                  assertThat(code(post(api))).isEqualTo(200);
                  assertThat(server.asked().getLast().authorization())
                      .containsExactly("Bearer second");
                });

        assertThat(runs()).isEqualTo(2);
        assertThat(server.asked())
            .allSatisfy(asked -> assertThat(asked.authorization()).hasSize(1));
      }
    }
  }

  @Test
  void tokenThatIsRefusedForGood_isNotReadAgainByEveryCall() throws Exception {
    accepted = "Bearer of another cluster";
    try (FrontEnd server = new FrontEnd(Speaks.BOTH, this::checked)) {
      ClusterAccess access = ClusterAccess.of(kubeconfig(server), nanoTime::get);
      try (HttpApiCalls api = new HttpApiCalls(access, SOON)) {
        pass(Duration.ofSeconds(30));

        for (int i = 0; i < 5; i++) {
          assertThat(code(post(api))).isEqualTo(401);
        }

        assertThat(runs()).isEqualTo(2);
      }
    }
  }

  @Test
  void tokenThatTheConfigurationFixes_isNeverReadAgain() throws Exception {
    Config fixed = new ConfigBuilder(Config.empty()).withOauthToken("fixed").build();
    Credentials credentials = new Credentials(fixed, nanoTime::get);
    pass(Duration.ofMinutes(5));

    assertThat(credentials.authorization()).isEqualTo("Bearer fixed");
    assertThat(credentials.renewAfter("Bearer fixed").get(1, TimeUnit.SECONDS)).isFalse();
  }
}
