package io.berth.operator.http;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.berth.serving.http.ClientAllowance;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.UserInfo;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Authorizes requests with the API server: TokenReview for authentication, SubjectAccessReview for
 * the permission to {@code get} a path. Results, including denials, are cached for {@link #KEPT} by
 * a digest of the token; concurrent identical requests share one review, and the number of reviews
 * per client is limited.
 */
public final class AccessReview implements AccessRule {

  static final Duration KEPT = Duration.ofSeconds(30);
  static final int BURST = 20;
  static final Duration REFILL = Duration.ofMillis(200);
  private static final int REMEMBERED = 1000;
  private static final int LONGEST_TOKEN = 16 << 10;
  private static final int UNANSWERED = 503;

  private final KubernetesClient client;
  private final List<String> audiences;
  private final ClientAllowance allowance;
  private final AsyncCache<String, Identity> users;
  private final AsyncCache<Question, Verdict> verdicts;

  private record Question(String tokenDigest, String verb, String path) {}

  /** The identity of a token's owner. */
  private sealed interface Identity {
    record Known(UserInfo user) implements Identity {}

    record Unknown() implements Identity {}

    record Unanswered(String why) implements Identity {}
  }

  /**
   * @param audiences the audiences of accepted tokens, of which a token needs one; if empty, tokens
   *     for the API server are accepted
   */
  public AccessReview(KubernetesClient client, List<String> audiences, InstantSource clock) {
    this.client = client;
    this.audiences = List.copyOf(audiences);
    this.allowance = new ClientAllowance(BURST, REFILL, clock);
    this.users = cache(clock);
    this.verdicts = cache(clock);
  }

  private static <K, V> AsyncCache<K, V> cache(InstantSource clock) {
    Ticker ticker = () -> TimeUnit.MILLISECONDS.toNanos(clock.millis());
    return Caffeine.newBuilder()
        .maximumSize(REMEMBERED)
        .expireAfterWrite(KEPT)
        .ticker(ticker)
        .executor(Executors.newVirtualThreadPerTaskExecutor())
        .buildAsync();
  }

  @Override
  public Verdict check(Optional<String> bearerToken, String verb, String path, InetAddress from) {
    if (bearerToken.isEmpty()) {
      return new Verdict(
          401,
          "send a bearer token of an account that may %s ".formatted(verb)
              + path
              + ": the output of kubectl create token ACCOUNT"
              + forAudience());
    }
    String token = bearerToken.get();
    if (token.length() > LONGEST_TOKEN) {
      return new Verdict(
          401, "the token is too long: use one of at most " + LONGEST_TOKEN + " characters");
    }
    String digest = digest(token);
    return switch (identity(digest, token, from)) {
      case Identity.Known(UserInfo user) -> verdict(new Question(digest, verb, path), user, from);
      case Identity.Unknown _ ->
          new Verdict(
              401,
              "the API server does not accept this token"
                  + (audiences.isEmpty()
                      ? ""
                      : " for audience "
                          + audiences.getFirst()
                          + ": use one of kubectl create token"
                          + " ACCOUNT"
                          + forAudience()));
      case Identity.Unanswered(String why) -> unanswered(why);
      case null -> tooMany(from);
    };
  }

  private @Nullable Identity identity(String digest, String token, InetAddress from) {
    if (users.getIfPresent(digest) == null && !allowance.take(from)) {
      return null;
    }
    Identity identity = users.get(digest, ignored -> whoIs(token)).join();
    if (identity instanceof Identity.Unanswered) {
      users.synchronous().invalidate(digest);
    }
    return identity;
  }

  private Verdict verdict(Question question, UserInfo user, InetAddress from) {
    if (verdicts.getIfPresent(question) == null && !allowance.take(from)) {
      return tooMany(from);
    }
    Verdict verdict = verdicts.get(question, ignored -> access(user, question)).join();
    if (verdict.code() == UNANSWERED) {
      verdicts.synchronous().invalidate(question);
    }
    return verdict;
  }

  private static Verdict tooMany(InetAddress from) {
    return new Verdict(
        429, "too many tokens or paths from " + from.getHostAddress() + "; try again in a second");
  }

  private static Verdict unanswered(String why) {
    return new Verdict(UNANSWERED, "the API server could not check your access: " + why);
  }

  private Identity whoIs(String token) {
    try {
      TokenReview review =
          client
              .resource(
                  new TokenReviewBuilder()
                      .withNewSpec()
                      .withToken(token)
                      .withAudiences(audiences)
                      .endSpec()
                      .build())
              .create();
      return Optional.ofNullable(review.getStatus())
          .filter(status -> Boolean.TRUE.equals(status.getAuthenticated()))
          .filter(status -> isMeant(status.getAudiences()))
          .<Identity>map(status -> new Identity.Known(status.getUser()))
          .orElseGet(Identity.Unknown::new);
    } catch (KubernetesClientException e) {
      return new Identity.Unanswered(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns whether a token is for one of the audiences. An authenticator that ignores audiences
   * returns none, and its tokens are for the API server.
   */
  private boolean isMeant(@Nullable List<String> confirmed) {
    return audiences.isEmpty()
        || (confirmed != null && confirmed.stream().anyMatch(audiences::contains));
  }

  private String forAudience() {
    return audiences.isEmpty() ? "" : " --audience " + audiences.getFirst();
  }

  private Verdict access(UserInfo user, Question question) {
    try {
      SubjectAccessReview access = client.resource(review(user, question)).create();
      return access.getStatus() != null && Boolean.TRUE.equals(access.getStatus().getAllowed())
          ? Verdict.ALLOWED
          : new Verdict(
              403,
              user.getUsername()
                  + " may not %s ".formatted(question.verb())
                  + question.path()
                  + ": give it a ClusterRole with that nonResourceURL and verb");
    } catch (KubernetesClientException e) {
      return unanswered(String.valueOf(e.getMessage()));
    }
  }

  private static SubjectAccessReview review(UserInfo user, Question question) {
    return new SubjectAccessReviewBuilder()
        .withNewSpec()
        .withUser(user.getUsername())
        .withUid(user.getUid())
        .withGroups(Optional.ofNullable(user.getGroups()).orElse(List.of()))
        .withExtra(Optional.ofNullable(user.getExtra()).orElse(Map.of()))
        .withNewNonResourceAttributes()
        .withPath(question.path())
        .withVerb(question.verb())
        .endNonResourceAttributes()
        .endSpec()
        .build();
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
