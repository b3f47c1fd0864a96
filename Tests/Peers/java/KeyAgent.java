import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.Key;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BiConsumer;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;

/**
 * An agent in the manner of extract-tls-secrets and jSSLKeyLog, for tests: it has Java's own TLS append its secrets of TLS 1.3 to the key log that the option
 * names.
 */
public class KeyAgent {
    private static final Map<String, String> LABELS = Map.of(
        "TlsClientHandshakeTrafficSecret", "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "TlsServerHandshakeTrafficSecret", "SERVER_HANDSHAKE_TRAFFIC_SECRET",
        "TlsClientAppTrafficSecret", "CLIENT_TRAFFIC_SECRET_0", "TlsServerAppTrafficSecret", "SERVER_TRAFFIC_SECRET_0");

    public static void premain(String log, Instrumentation instrumentation) {
        Set<Module> own = Set.of(KeyAgent.class.getModule());
        instrumentation.redefineModule(Object.class.getModule(), Set.of(), Map.of("jdk.internal.org.objectweb.asm", own),
            Map.of("sun.security.ssl", own), Set.of(), Map.of());
        Map<Object, Object> contexts = Collections.synchronizedMap(new WeakHashMap<>());
        // The classes of java.base see no class of ours, but what lies in a table that both know.
        BiConsumer<Object, Object> made = contexts::put;
        BiConsumer<Object, Object> derived = (derivation, key) -> write(Path.of(log), contexts.get(derivation), (Key) key);
        System.getProperties().put("key-agent.made", made);
        System.getProperties().put("key-agent.derived", derived);
        Hooks.add(instrumentation);
    }

    private static void write(Path log, Object context, Key key) {
        String label = LABELS.get(key.getAlgorithm());
        if (label == null) return;
        try {
            HexFormat hex = HexFormat.of();
            byte[] random = (byte[]) field(field(context, "clientHelloRandom"), "randomBytes");
            String line = label + " " + hex.formatHex(random) + " " + hex.formatHex(key.getEncoded()) + "\n";
            Files.write(log, line.getBytes(StandardCharsets.US_ASCII), StandardOpenOption.APPEND);
        } catch (Exception problem) {
            System.err.println("KeyAgent: " + problem);
        }
    }

    private static Object field(Object object, String name) throws ReflectiveOperationException {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!field.getName().equals(name)) continue;
                field.setAccessible(true);
                return field.get(object);
            }
        }
        throw new NoSuchFieldException(name);
    }

    /** Puts calls at the end of the constructor and of deriveKey of the class that derives secrets. A class of its own: the agent's begins without ASM. */
    private static class Hooks {
        static void add(Instrumentation instrumentation) {
            instrumentation.addTransformer(new ClassFileTransformer() {
                @Override
                public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
                    return "sun/security/ssl/SSLSecretDerivation".equals(name) ? changed(bytes) : null;
                }
            });
        }

        private static byte[] changed(byte[] bytes) {
            ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            new ClassReader(bytes).accept(new ClassVisitor(Opcodes.ASM8, writer) {
                @Override
                public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] exceptions) {
                    MethodVisitor method = super.visitMethod(access, name, type, signature, exceptions);
                    if (name.equals("<init>")) return new Ending(method, Opcodes.RETURN, "key-agent.made");
                    return name.equals("deriveKey") ? new Ending(method, Opcodes.ARETURN, "key-agent.derived") : method;
                }
            }, 0);
            return writer.toByteArray();
        }
    }

    /** Before a return: hands the object, and its first argument or the result, to what the table has under this name. */
    private static class Ending extends MethodVisitor {
        private final int ending;
        private final String name;
        private static final int RESULT = 20;

        Ending(MethodVisitor method, int ending, String name) {
            super(Opcodes.ASM8, method);
            this.ending = ending;
            this.name = name;
        }

        @Override
        public void visitInsn(int code) {
            if (code == ending) {
                if (code == Opcodes.ARETURN) {
                    super.visitInsn(Opcodes.DUP);
                    super.visitVarInsn(Opcodes.ASTORE, RESULT);
                }
                super.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/System", "getProperties", "()Ljava/util/Properties;", false);
                super.visitLdcInsn(name);
                super.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "java/util/Properties", "get", "(Ljava/lang/Object;)Ljava/lang/Object;", false);
                super.visitTypeInsn(Opcodes.CHECKCAST, "java/util/function/BiConsumer");
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitVarInsn(Opcodes.ALOAD, code == Opcodes.ARETURN ? RESULT : 1);
                super.visitMethodInsn(Opcodes.INVOKEINTERFACE, "java/util/function/BiConsumer", "accept", "(Ljava/lang/Object;Ljava/lang/Object;)V", true);
            }
            super.visitInsn(code);
        }
    }
}
