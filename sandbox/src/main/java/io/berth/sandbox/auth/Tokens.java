package io.berth.sandbox.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.Storage;
import io.berth.sandbox.store.StoredObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The bearer tokens that the server accepts: one for the administrator, and signed tokens for
 * ServiceAccounts, which are valid until they expire or the account is deleted.
 */
public final class Tokens {
  private static final String ISSUER = "https://kubernetes.default.svc.cluster.local";
  private static final List<String> OWN = List.of(ISSUER);
  private static final int KEY_BYTES = 32;
  private static final String ALGORITHM = "HmacSHA256";

  private final ObjectStore store;
  private final Storage accounts;
  private final Clock clock;
  private final byte[] key = new byte[KEY_BYTES];
  private final String adminToken;

  /**
   * Generates a new signing key and a new administrator token.
   *
   * @param accounts the storage of ServiceAccounts
   */
  public Tokens(ObjectStore store, Storage accounts, Clock clock) {
    this.store = store;
    this.accounts = accounts;
    this.clock = clock;
    SecureRandom random = new SecureRandom();
    random.nextBytes(key);
    byte[] token = new byte[KEY_BYTES];
    random.nextBytes(token);
    this.adminToken = HexFormat.of().formatHex(token);
  }

  /**
   * The administrator's token. It authenticates as user {@code kubernetes-admin} in group {@code
   * system:masters}.
   */
  public String adminToken() {
    return adminToken;
  }

  /**
   * Signs a token for a ServiceAccount.
   *
   * @param audiences the servers that may accept the token; if empty, this API server
   */
  public String issue(StoredObject account, Duration lifetime, List<String> audiences) {
    Instant now = clock.instant();
    ObjectNode claims = Json.object();
    ArrayNode of = claims.putArray("aud");
    (audiences.isEmpty() ? OWN : audiences).forEach(of::add);
    claims
        .put("exp", now.plus(lifetime).getEpochSecond())
        .put("iat", now.getEpochSecond())
        .put("nbf", now.getEpochSecond())
        .put("iss", ISSUER)
        .put(
            "sub",
            "system:serviceaccount:" + account.key().namespace() + ":" + account.key().name());
    ObjectNode bound =
        claims.putObject("kubernetes.io").put("namespace", account.key().namespace());
    bound.putObject("serviceaccount").put("name", account.key().name()).put("uid", account.uid());
    String head = encode(Json.write(Json.object().put("alg", "HS256").put("typ", "JWT")));
    String signed = head + "." + encode(Json.write(claims));
    return signed + "." + encode(sign(signed));
  }

  /**
   * Returns the caller that a bearer token authenticates to this API server; empty if the token is
   * invalid.
   */
  public Optional<Caller> verify(String token, String agent) {
    return verify(token, agent, OWN);
  }

  /**
   * Returns the caller that a bearer token authenticates; empty if the token is invalid, or is for
   * none of the audiences. The administrator's token is for this API server.
   */
  public Optional<Caller> verify(String token, String agent, List<String> audiences) {
    if (audiences.contains(ISSUER)
        && MessageDigest.isEqual(
            token.getBytes(StandardCharsets.UTF_8), adminToken.getBytes(StandardCharsets.UTF_8))) {
      return Optional.of(
          new Caller(
              "kubernetes-admin",
              "",
              List.of("system:masters", "system:authenticated"),
              Map.of(),
              agent));
    }
    int lastDot = token.lastIndexOf('.');
    int firstDot = token.indexOf('.');
    if (firstDot < 0 || firstDot == lastDot) {
      return Optional.empty();
    }
    try {
      byte[] signature = Base64.getUrlDecoder().decode(token.substring(lastDot + 1));
      if (!MessageDigest.isEqual(signature, sign(token.substring(0, lastDot)))) {
        return Optional.empty();
      }
      return account(
          Json.MAPPER.readTree(
              Base64.getUrlDecoder().decode(token.substring(firstDot + 1, lastDot))),
          agent,
          audiences);
    } catch (IllegalArgumentException | IOException e) {
      return Optional.empty();
    }
  }

  /** Returns those of the audiences that a token is for. */
  public List<String> common(String token, List<String> audiences) {
    return audiences.stream().filter(each -> verify(token, "", List.of(each)).isPresent()).toList();
  }

  private Optional<Caller> account(JsonNode claims, String agent, List<String> audiences) {
    Set<String> meant = new HashSet<>();
    claims.path("aud").forEach(audience -> meant.add(audience.asText()));
    if (claims.path("exp").asLong() <= clock.instant().getEpochSecond()
        || audiences.stream().noneMatch(meant::contains)) {
      return Optional.empty();
    }
    JsonNode bound = claims.path("kubernetes.io");
    String namespace = bound.path("namespace").asText();
    String name = bound.path("serviceaccount").path("name").asText();
    return store
        .get(accounts, new ObjectKey(namespace, name))
        .map(StoredObject::uid)
        .filter(uid -> uid.equals(bound.path("serviceaccount").path("uid").asText()))
        .map(uid -> serviceAccount(namespace, name, uid, agent));
  }

  private static Caller serviceAccount(String namespace, String name, String uid, String agent) {
    return new Caller(
        "system:serviceaccount:" + namespace + ":" + name,
        uid,
        List.of(
            "system:serviceaccounts",
            "system:serviceaccounts:" + namespace,
            "system:authenticated"),
        Map.of(),
        agent);
  }

  private byte[] sign(String text) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK cannot compute " + ALGORITHM, e);
    }
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
