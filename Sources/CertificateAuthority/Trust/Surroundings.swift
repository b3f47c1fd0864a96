import Libc

/// What the machine has that matters to who trusts whom: its system, the user's home, the programs.
package struct Surroundings: Sendable {
    package enum System: Sendable {
        case linux, macOS
    }

    package var system: System
    /// Whether we may change what belongs to the system.
    package var isRoot: Bool
    /// The user's home folder; nil where none is known.
    package var home: String?
    /// Where the user's programs keep what is not for people: `$XDG_DATA_HOME`, else `~/.local/share`; nil where no home is known.
    package var dataFolder: String?
    /// The folders that programs are looked for in, in order.
    package var programFolders: [String]
    /// What stands before paths of the system: empty, or a folder that stands for the whole machine.
    package var root: String

    package init(
        system: System, isRoot: Bool, home: String?, dataFolder: String? = nil, programFolders: [String], root: String = ""
    ) {
        self.system = system
        self.isRoot = isRoot
        self.home = home
        self.dataFolder = dataFolder ?? home.map { $0 + "/.local/share" }
        self.programFolders = programFolders
        self.root = root
    }

    /// This machine, for this user.
    package static var here: Surroundings {
        #if canImport(Darwin)
        let system = System.macOS
        #else
        let system = System.linux
        #endif
        let named = (AuthorityFolder.environment("PATH") ?? "").split(separator: ":").map(String.init)
        // The programs that administer a system are often not in a user's path.
        let always = ["/usr/local/sbin", "/usr/sbin", "/sbin"].filter { !named.contains($0) }
        let data = AuthorityFolder.environment("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return Surroundings(
            system: system, isRoot: geteuid() == 0, home: AuthorityFolder.homeFolder(), dataFolder: data, programFolders: named + always)
    }

    /// The path of a program; nil where there is none of the name.
    package func program(_ name: String) -> String? {
        programFolders.lazy.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Whether there is something of that path.
    func has(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether there is a folder of that path.
    func hasFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The names in a folder in their order, without hidden ones, at most a thousand; none where it cannot be read.
    func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < 1_000, let entry = readdir(folder) {
            let name = String(decoding: entryName(entry), as: UTF8.self)
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
