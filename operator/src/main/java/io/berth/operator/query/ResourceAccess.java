package io.berth.operator.query;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.berth.serving.http.ClientAllowance;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Asks the API server what users may do. Answers, including denials, are cached for {@link #KEPT},
 * and the number of questions is limited for each user.
 */
final class ResourceAccess {
  static final Duration KEPT = Duration.ofSeconds(10);
  static final int BURST = 30;
  static final Duration REFILL = Duration.ofMillis(100);
  private static final int REMEMBERED = 10_000;

  private final UnaryOperator<SubjectAccessReview> reviews;
  private final ClientAllowance allowance;
  private final Cache<Question, Boolean> answers;

  /**
   * An action.
   *
   * @param group the API group; empty for the core group
   * @param resource its name, followed by a slash and the subresource if there is one
   * @param namespace empty for a cluster-scoped resource, or for all namespaces
   * @param name empty for all objects
   */
  record Action(String verb, String group, String resource, String namespace, String name) {
    /** Returns the right to see the names of nodes. */
    static Action listNodes() {
      return new Action("list", "", "nodes", "", "");
    }

    /** Returns the right to see the names of all pods. */
    static Action listPods() {
      return new Action("list", "", "pods", "", "");
    }

    @Override
    public String toString() {
      return "%s %s%s%s"
          .formatted(
              verb,
              group.isEmpty() ? resource : resource + "." + group,
              name.isEmpty() ? "" : " " + name,
              namespace.isEmpty() ? "" : " in namespace " + namespace);
    }
  }

  private record Question(ApiUser user, Action action) {}

  /**
   * @param reviews sends a review to the API server, and returns it with its status
   */
  ResourceAccess(UnaryOperator<SubjectAccessReview> reviews, InstantSource clock) {
    this(reviews, clock, Ticker.systemTicker());
  }

  /**
   * @param ticker the time by which answers expire, which never goes back
   */
  ResourceAccess(UnaryOperator<SubjectAccessReview> reviews, InstantSource clock, Ticker ticker) {
    this.reviews = reviews;
    this.allowance = new ClientAllowance(BURST, REFILL, clock);
    this.answers =
        Caffeine.newBuilder().maximumSize(REMEMBERED).expireAfterWrite(KEPT).ticker(ticker).build();
  }

  /**
   * Checks that the user may do this.
   *
   * @throws ApiException with 403 if not, 429 if the user asks too much, or 503 if the API server
   *     does not answer
   */
  void require(ApiUser user, Action action) throws ApiException {
    if (!may(user, action)) {
      throw new ApiException(403, "User \"%s\" cannot %s".formatted(user.name(), action));
    }
  }

  /**
   * Returns whether the user may do this.
   *
   * @throws ApiException with 429 if the user asks too much, or 503 if the API server does not
   *     answer
   */
  boolean may(ApiUser user, Action action) throws ApiException {
    Question question = new Question(user, action);
    Boolean known = answers.getIfPresent(question);
    if (known != null) {
      return known;
    }
    if (!allowance.take(user.name())) {
      throw new ApiException(
          429, "user \"%s\" asks too often; try again in a second".formatted(user.name()));
    }
    try {
      SubjectAccessReview answer = reviews.apply(review(user, action));
      boolean allowed =
          answer.getStatus() != null && Boolean.TRUE.equals(answer.getStatus().getAllowed());
      answers.put(question, allowed);
      return allowed;
    } catch (KubernetesClientException e) {
      throw new ApiException(
          503, "the API server could not check the access of the user: " + e.getMessage());
    }
  }

  private static SubjectAccessReview review(ApiUser user, Action action) {
    String[] names = action.resource().split("/", 2);
    return new SubjectAccessReviewBuilder()
        .withNewSpec()
        .withUser(user.name())
        .withUid(user.uid())
        .withGroups(user.groups())
        .withExtra(Map.copyOf(user.extra()))
        .withNewResourceAttributes()
        .withVerb(action.verb())
        .withGroup(action.group())
        .withVersion("*")
        .withResource(names[0])
        .withSubresource(names.length > 1 ? names[1] : null)
        .withNamespace(action.namespace())
        .withName(action.name())
        .endResourceAttributes()
        .endSpec()
        .build();
  }
}
