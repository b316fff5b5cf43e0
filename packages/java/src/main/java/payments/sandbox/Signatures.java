package payments.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.*;
import java.time.*;
import java.util.*;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs requests, and verifies webhooks. */
public final class Signatures {
  /** A webhook must not be trusted: respond with 401. The message is a reason such as {@code signature_mismatch}. */
  @SuppressWarnings("serial")
  public static final class Rejected extends Exception {
    Rejected(String reason) {
      super(reason);
    }
  }

  private Signatures() {}

  /** The headers of a signed request. {@code body} is exactly what is sent; the headers are valid for one request. */
  public static Map<String, String> sign(String signingKey, byte[] body) {
    String timestamp = String.valueOf(Instant.now().getEpochSecond());
    String nonce = UUID.randomUUID().toString();
    String signature = hmac(signingKey, (timestamp + "." + nonce + ".").getBytes(UTF_8), body);
    return Map.of(
        Platform.TIMESTAMP_HEADER, timestamp, Platform.NONCE_HEADER, nonce, Platform.SIGNATURE_HEADER, signature);
  }

  /** Verifies a webhook that was sent within the last five minutes. */
  public static Platform.Event<?> verify(byte[] body, Map<String, List<String>> headers, String secret)
      throws Rejected {
    return verify(body, headers, secret, Duration.ofSeconds(Platform.TOLERANCE_SECONDS), Instant.now());
  }

  /**
   * Returns the event of a webhook whose signature and age are right. Signatures are compared in constant time.
   *
   * @param body the raw body: JSON that was parsed and written again has another signature
   * @param headers the headers of the request; their names can have any case
   * @param secret the {@code webhook_secret} of the account
   * @throws Rejected if the webhook must not be trusted
   */
  public static Platform.Event<?> verify(
      byte[] body, Map<String, List<String>> headers, String secret, Duration tolerance, Instant now) throws Rejected {
    require(secret != null && !secret.isEmpty(), "missing_secret");
    String signature = header(headers, Platform.WEBHOOK_SIGNATURE_HEADER, "signature", "[0-9a-f]{64}");
    boolean same = MessageDigest.isEqual(signature.getBytes(UTF_8), hmac(secret, body).getBytes(UTF_8));
    require(same, "signature_mismatch");
    long sentAt = Long.parseLong(header(headers, Platform.WEBHOOK_TIMESTAMP_HEADER, "timestamp", "[0-9]{1,12}"));
    require(Math.abs(now.getEpochSecond() - sentAt) <= tolerance.toSeconds(), "stale_timestamp");
    try {
      Json event = Json.parse(new String(body, UTF_8));
      String name = Objects.requireNonNull(event.get("event").text());
      Object data = EventType.readAny(event);
      return new Platform.Event<>(name, event.get("timestamp").text(), event.get("transaction_id").text(), data);
    } catch (RuntimeException malformed) {
      throw new Rejected("malformed_body");
    }
  }

  private static void require(boolean holds, String reason) throws Rejected {
    if (!holds) throw new Rejected(reason);
  }

  private static String header(Map<String, List<String>> headers, String name, String about, String form)
      throws Rejected {
    Set<String> values = headers.entrySet().stream().filter(row -> name.equalsIgnoreCase(row.getKey()))
        .flatMap(row -> row.getValue().stream()).collect(Collectors.toSet());
    require(values.size() == 1 && !values.contains(""), "missing_" + about);
    String value = values.iterator().next();
    require(value.matches(form), "malformed_" + about);
    return value;
  }

  private static String hmac(String key, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA256"));
      for (byte[] part : parts) mac.update(part);
      return HexFormat.of().formatHex(mac.doFinal());
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
