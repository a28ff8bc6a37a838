package io.berth.operator.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.operator.http.AccessRule.Verdict;
import io.berth.serving.http.ClientAllowance;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The API server requests that a token causes, and their limit. */
class AccessReviewTest {

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private KubernetesMockServer server;
  private KubernetesClient client;
  private AccessReview review;
  private InetAddress here;
  private InetAddress elsewhere;

  @BeforeEach
  void start() throws IOException {
    here = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
    elsewhere = InetAddress.getByAddress(new byte[] {10, 0, 0, 2});
    server = new KubernetesMockServer(false);
    server
        .expect()
        .post()
        .withPath("/apis/authentication.k8s.io/v1/tokenreviews")
        .andReply(201, this::tokenReview)
        .always();
    server
        .expect()
        .post()
        .withPath("/apis/authorization.k8s.io/v1/subjectaccessreviews")
        .andReply(201, this::accessReview)
        .always();
    server.init();
    client = server.createClient();
    review = new AccessReview(client, List.of("berth"), () -> now);
  }

  @AfterEach
  void stop() {
    client.close();
    server.destroy();
  }

  /** Accepts every token that begins with "good". */
  private TokenReview tokenReview(RecordedRequest request) {
    String body = request.getUtf8Body();
    asked.add(body);
    TokenReviewBuilder review = new TokenReviewBuilder();
    return body.contains("good")
        ? review
            .withNewStatus()
            .withAuthenticated(true)
            .withAudiences("berth")
            .withNewUser()
            .withUsername("ann")
            .withUid("7")
            .withGroups("g")
            .addToExtra("scopes", List.of("read"))
            .endUser()
            .endStatus()
            .build()
        : review.withNewStatus().withAuthenticated(false).endStatus().build();
  }

  private SubjectAccessReview accessReview(RecordedRequest request) {
    asked.add(request.getUtf8Body());
    return new SubjectAccessReviewBuilder().withNewStatus().withAllowed(true).endStatus().build();
  }

  private Verdict check(String token, InetAddress from) {
    return review.check(Optional.of(token), "get", "/metrics", from);
  }

  @Test
  void tokenReview_namesTheAudience_andATokenForAnotherOneIsNotAccepted() {
    assertThat(check("good", here)).isEqualTo(Verdict.ALLOWED);
    assertThat(asked.getFirst()).contains("\"audiences\":[\"berth\"]");

    AccessReview other = new AccessReview(client, List.of("other"), () -> now);
    assertThat(other.check(Optional.of("good"), "get", "/metrics", here).message())
        .isEqualTo(
            "the API server does not accept this token for audience other: use one of kubectl"
                + " create token ACCOUNT --audience other");
  }

  @Test
  void tokensForTheApiServer_areAccepted_ifNoAudienceIsRequired() {
    AccessReview any = new AccessReview(client, List.of(), () -> now);

    assertThat(any.check(Optional.of("good"), "get", "/metrics", here)).isEqualTo(Verdict.ALLOWED);
    assertThat(asked.getFirst()).doesNotContain("audiences");
  }

  @Test
  void theAccessReview_carriesUserUidGroupsAndExtra() {
    assertThat(check("good", here)).isEqualTo(Verdict.ALLOWED);

    assertThat(asked).hasSize(2);
    assertThat(asked.getLast())
        .contains("\"user\":\"ann\"", "\"uid\":\"7\"", "[\"g\"]", "{\"scopes\":[\"read\"]}");
  }

  @Test
  void answersAreRemembered_refusalsToo_forHalfAMinute() {
    check("good", here);
    check("good", here);
    check("bad", here);
    assertThat(check("bad", here).code()).isEqualTo(401);
    assertThat(asked).hasSize(3);

    now = now.plus(AccessReview.KEPT).plusMillis(1);

    check("good", here);
    check("bad", here);
    assertThat(asked).hasSize(6);
  }

  @Test
  void aClientThatTriesTokens_isStopped_andOthersAreNot() {
    for (int i = 0; i < AccessReview.BURST; i++) {
      assertThat(check("bad-" + i, here).code()).isEqualTo(401);
    }

    assertThat(check("bad-again", here).code()).isEqualTo(429);
    assertThat(asked).hasSize(AccessReview.BURST);
    assertThat(check("good", elsewhere)).isEqualTo(Verdict.ALLOWED);
    now = now.plus(AccessReview.REFILL.multipliedBy(2));
    assertThat(check("bad-again", here).code()).as("what was not asked is not kept").isEqualTo(401);
  }

  @Test
  void aNetworkOfIpv6_countsAsOneClient() throws IOException {
    ClientAllowance allowance = new ClientAllowance(1, Duration.ofSeconds(1), () -> now);

    assertThat(allowance.take(InetAddress.getByName("2001:db8::1"))).isTrue();
    assertThat(allowance.take(InetAddress.getByName("2001:db8::2"))).isFalse();
    assertThat(allowance.take(InetAddress.getByName("2001:db8:0:1::1"))).isTrue();
  }
}
