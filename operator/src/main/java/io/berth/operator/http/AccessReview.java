package io.berth.operator.http;

import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.UserInfo;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lets in who may {@code get} a path, as the API server says: TokenReview for who it is,
 * SubjectAccessReview for what he may do. Answers are kept for {@link #KEPT}, by a digest of the
 * token.
 */
public final class AccessReview implements AccessRule {

  static final Duration KEPT = Duration.ofSeconds(30);
  private static final int REMEMBERED = 1000;

  private final KubernetesClient client;
  private final Clock clock;

  // Guarded by this.
  private final Map<Question, Kept> answers =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, Kept> eldest) {
          return size() > REMEMBERED;
        }
      };

  private record Question(String tokenDigest, String path) {}

  private record Kept(Verdict verdict, Instant until) {}

  public AccessReview(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  @Override
  public Verdict check(Optional<String> bearerToken, String path) {
    if (bearerToken.isEmpty()) {
      return new Verdict(
          401,
          "send a bearer token of an account that may get "
              + path
              + ", such as: curl -H \"Authorization: Bearer $(kubectl create token ACCOUNT)\"");
    }
    Question question = new Question(digest(bearerToken.get()), path);
    Instant now = clock.instant();
    synchronized (this) {
      Kept kept = answers.get(question);
      if (kept != null && now.isBefore(kept.until())) {
        return kept.verdict();
      }
    }
    Verdict verdict;
    try {
      verdict = ask(bearerToken.get(), path);
    } catch (KubernetesClientException e) {
      return new Verdict(
          503, "the API server could not be asked whether you may: " + e.getMessage());
    }
    synchronized (this) {
      answers.put(question, new Kept(verdict, now.plus(KEPT)));
    }
    return verdict;
  }

  private Verdict ask(String token, String path) {
    TokenReview review =
        client
            .resource(new TokenReviewBuilder().withNewSpec().withToken(token).endSpec().build())
            .create();
    if (review.getStatus() == null || !Boolean.TRUE.equals(review.getStatus().getAuthenticated())) {
      return new Verdict(401, "the API server does not know this token");
    }
    UserInfo user = review.getStatus().getUser();
    SubjectAccessReview access =
        client
            .resource(
                new SubjectAccessReviewBuilder()
                    .withNewSpec()
                    .withUser(user.getUsername())
                    .withUid(user.getUid())
                    .withGroups(Optional.ofNullable(user.getGroups()).orElse(List.of()))
                    .withNewNonResourceAttributes()
                    .withPath(path)
                    .withVerb("get")
                    .endNonResourceAttributes()
                    .endSpec()
                    .build())
            .create();
    if (access.getStatus() != null && Boolean.TRUE.equals(access.getStatus().getAllowed())) {
      return Verdict.ALLOWED;
    }
    return new Verdict(
        403,
        user.getUsername()
            + " may not get "
            + path
            + ": give it a ClusterRole with that nonResourceURL");
  }

  private static String digest(String token) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
