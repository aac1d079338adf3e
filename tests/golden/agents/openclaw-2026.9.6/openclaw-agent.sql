PRAGMA user_version=23;
CREATE TABLE schema_meta (
  meta_key TEXT NOT NULL PRIMARY KEY,
  role TEXT NOT NULL,
  schema_version INTEGER NOT NULL,
  agent_id TEXT,
  app_version TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE session_nodes (
  session_key TEXT NOT NULL PRIMARY KEY,
  current_session_id TEXT NOT NULL,
  entry_json TEXT NOT NULL,
  legacy_acp_migration_json TEXT,
  entry_valid INTEGER NOT NULL DEFAULT 0 CHECK (entry_valid IN (-1, 0, 1)),
  updated_at INTEGER NOT NULL,
  status TEXT CHECK (status IS NULL OR status IN ('running', 'done', 'failed', 'killed', 'timeout')),
  created_at INTEGER,
  created_via TEXT CHECK (created_via IS NULL OR created_via IN ('operator', 'spawn', 'channel', 'cron', 'talk', 'run', 'plugin', 'internal')),
  created_actor_type TEXT CHECK (created_actor_type IS NULL OR created_actor_type IN ('human', 'agent', 'system')),
  created_actor_id TEXT,
  owner_actor_type TEXT,
  owner_actor_id TEXT,
  owner_assigned_by_type TEXT,
  owner_assigned_by_id TEXT,
  owner_assigned_at INTEGER,
  project_id TEXT,
  parent_session_key TEXT,
  spawned_by TEXT,
  fork_source_session_key TEXT,
  fork_source_session_id TEXT,
  fork_source_entry_id TEXT,
  label TEXT,
  display_name TEXT,
  category TEXT,
  icon TEXT,
  pinned_at INTEGER,
  archived_at INTEGER,
  last_read_at INTEGER,
  last_interaction_at INTEGER,
  last_activity_at INTEGER
) STRICT;
CREATE TABLE session_windows (
  session_id TEXT NOT NULL PRIMARY KEY,
  session_key TEXT NOT NULL,
  previous_session_id TEXT,
  reason TEXT CHECK (reason IS NULL OR reason IN ('initial', 'reset', 'rollover', 'fork', 'rewind', 'switch', 'recovery', 'compaction')),
  session_scope TEXT NOT NULL DEFAULT 'conversation' CHECK (session_scope IN ('conversation', 'shared-main', 'group', 'channel')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  transcript_updated_at INTEGER DEFAULT NULL,
  transcript_observed_at INTEGER DEFAULT NULL,
  session_entry_provenance INTEGER NOT NULL DEFAULT 0 CHECK (session_entry_provenance IN (0, 1)),
  acp_owned INTEGER NOT NULL DEFAULT 0 CHECK (acp_owned IN (0, 1)),
  plugin_owner_id TEXT,
  hook_external_content_source TEXT CHECK (hook_external_content_source IS NULL OR hook_external_content_source IN ('gmail', 'webhook')),
  started_at INTEGER,
  ended_at INTEGER,
  status TEXT CHECK (status IS NULL OR status IN ('running', 'done', 'failed', 'killed', 'timeout')),
  chat_type TEXT CHECK (chat_type IS NULL OR chat_type IN ('direct', 'group', 'channel')),
  channel TEXT,
  account_id TEXT,
  primary_conversation_id TEXT,
  model_provider TEXT,
  model TEXT,
  agent_harness_id TEXT,
  parent_session_key TEXT,
  spawned_by TEXT,
  display_name TEXT,
  FOREIGN KEY (session_key) REFERENCES session_nodes(session_key) ON DELETE CASCADE,
  FOREIGN KEY (primary_conversation_id) REFERENCES conversations(conversation_id) ON DELETE SET NULL
) STRICT;
CREATE TABLE transcript_events (
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  event_json TEXT,
  created_at INTEGER NOT NULL,
  event_zstd BLOB,
  event_utf8_bytes INTEGER CHECK (event_utf8_bytes IS NULL OR event_utf8_bytes >= 0),
  navigation_json TEXT,
  PRIMARY KEY (session_id, seq),
  FOREIGN KEY (session_id) REFERENCES "session_windows"(session_id) ON DELETE CASCADE,
  CHECK (
    (event_json IS NOT NULL AND event_zstd IS NULL)
    OR (
      event_json IS NULL AND event_zstd IS NOT NULL
      AND event_utf8_bytes IS NOT NULL
      AND event_utf8_bytes BETWEEN 1 AND 4194304
      AND length(event_zstd) BETWEEN 1 AND 4194304
      AND navigation_json IS NOT NULL
    )
  ),
  CHECK (
    navigation_json IS NULL OR CASE WHEN json_valid(navigation_json) THEN coalesce(
      octet_length(navigation_json) <= 16384
      AND json_type(navigation_json, '$.version') = 'integer'
      AND json_extract(navigation_json, '$.version') = 1
      AND json_type(navigation_json, '$.report') = 'object'
      AND json_extract(navigation_json, '$.report.kind') IN ('canonical', 'leaf', 'link', 'ignored')
      AND json_type(navigation_json, '$.navigation') = 'object'
      AND json_type(navigation_json, '$.reset') = 'object'
      AND json_type(navigation_json, '$.model') = 'object'
      AND json_type(navigation_json, '$.modelBytes') = 'integer'
      AND json_extract(navigation_json, '$.modelBytes') BETWEEN 0 AND 4194304
      AND json_type(navigation_json, '$.modelWithoutCheckpointBytes') = 'integer'
      AND json_extract(navigation_json, '$.modelWithoutCheckpointBytes') BETWEEN 0 AND 4194304
      AND json_type(navigation_json, '$.withoutCustomDataBytes') = 'integer'
      AND json_extract(navigation_json, '$.withoutCustomDataBytes') BETWEEN 0 AND 4194304,
      0) ELSE 0 END
  )
) STRICT;
CREATE TABLE transcript_rewrite_watermarks (
  session_id TEXT NOT NULL PRIMARY KEY,
  generation TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  FOREIGN KEY (session_id) REFERENCES "session_windows"(session_id) ON DELETE CASCADE
) STRICT;
CREATE TABLE session_transcript_cold_archives (
  session_id TEXT NOT NULL PRIMARY KEY,
  generation TEXT NOT NULL,
  archive_name TEXT NOT NULL UNIQUE,
  archive_sha256 TEXT NOT NULL CHECK (length(archive_sha256) = 64),
  event_count INTEGER NOT NULL CHECK (event_count >= 1),
  raw_bytes INTEGER NOT NULL CHECK (raw_bytes >= 0),
  archive_bytes INTEGER NOT NULL CHECK (archive_bytes >= 0),
  last_seq INTEGER NOT NULL,
  archived_at INTEGER NOT NULL,
  storage TEXT NOT NULL CHECK (storage IN ('file', 'sqlite')),
  archive_blob BLOB,
  FOREIGN KEY (session_id) REFERENCES "session_windows"(session_id) ON DELETE CASCADE,
  CHECK (length(archive_name) > 0 AND archive_name NOT IN ('.', '..') AND archive_name NOT LIKE '%/%' AND archive_name NOT LIKE '%\%'),
  CHECK ((storage = 'file' AND archive_blob IS NULL) OR (storage = 'sqlite' AND archive_blob IS NOT NULL))
) STRICT;
INSERT INTO schema_meta VALUES('primary','agent',23,'main','2026.9.6',1795354706656,1795354706656);
INSERT INTO session_nodes VALUES('agent:main:incident-42','2822dab1-285e-491d-9a09-188374a85900','{"sessionId":"2822dab1-285e-491d-9a09-188374a85900","updatedAt":1795354925610,"sessionStartedAt":1795354914912,"lastInteractionAt":1795354925583,"delivery":{"kind":"none"},"displayName":"incident-42","createdVia":"run","createdAt":1795354914927,"activeWriterRunId":"8d800291-ea10-4ba9-91c5-d65b86a5edf6","status":"done","startedAt":1795354924620,"abortedLastRun":false,"model":"mock-1","modelProvider":"mock","lastActivityAt":1795354925583,"contextTokens":128000,"contextTokensSource":"resolved","agentHarnessId":"openclaw","contextBudgetStatus":{"schemaVersion":1,"source":"pre-prompt-estimate","updatedAt":1795354925082,"provider":"mock","model":"mock-1","route":"fits","shouldCompact":false,"estimatedPromptTokens":14166,"contextTokenBudget":128000,"promptBudgetBeforeReserve":108000,"reserveTokens":20000,"effectiveReserveTokens":20000,"remainingPromptBudgetTokens":93834,"overflowTokens":0,"toolResultReducibleChars":0,"messageCount":2,"unwindowedMessageCount":2,"sessionId":"2822dab1-285e-491d-9a09-188374a85900"},"inputTokens":147,"outputTokens":7,"cacheRead":3,"cacheWrite":0,"totalTokens":150,"totalTokensFresh":true,"totalTokensVersion":1,"endedAt":1795354925604,"runtimeMs":984,"lastRunId":"8d800291-ea10-4ba9-91c5-d65b86a5edf6"}',NULL,1,1795354925610,'done',1795354914927,'run',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'incident-42',NULL,NULL,NULL,NULL,NULL,1795354925583,1795354925583);
INSERT INTO session_nodes VALUES('agent:main:main','2c270c77-8ce9-43fe-9e48-3952dfb0c21c','{"sessionId":"2c270c77-8ce9-43fe-9e48-3952dfb0c21c","lifecycleRevision":"4be8348a-9e84-4dae-9164-3d4c78e16425","updatedAt":1795354950490,"sessionStartedAt":1795354937850,"systemSent":false,"abortedLastRun":false,"sessionDiffBaselineCapture":{"version":1,"captureId":"582a5186-d037-40d6-92a5-fc82ce986dd8","status":"unavailable"},"compactionCount":0,"displayName":"Hello","delivery":{"kind":"none"},"inputTokens":127,"outputTokens":7,"totalTokens":130,"totalTokensFresh":true,"totalTokensVersion":1,"lastInteractionAt":1795354950462,"activeWriterRunId":"56807931-b96a-4111-95be-7b9470feb4d5","status":"done","startedAt":1795354949026,"model":"mock-1","modelProvider":"mock","lastActivityAt":1795354950462,"contextTokens":128000,"contextTokensSource":"resolved","agentHarnessId":"openclaw","contextBudgetStatus":{"schemaVersion":1,"source":"pre-prompt-estimate","updatedAt":1795354949557,"provider":"mock","model":"mock-1","route":"fits","shouldCompact":false,"estimatedPromptTokens":12122,"contextTokenBudget":128000,"promptBudgetBeforeReserve":108000,"reserveTokens":20000,"effectiveReserveTokens":20000,"remainingPromptBudgetTokens":95878,"overflowTokens":0,"toolResultReducibleChars":0,"messageCount":0,"unwindowedMessageCount":0,"sessionId":"2c270c77-8ce9-43fe-9e48-3952dfb0c21c"},"cacheRead":3,"cacheWrite":0,"endedAt":1795354950475,"runtimeMs":1449,"lastRunId":"56807931-b96a-4111-95be-7b9470feb4d5"}',NULL,1,1795354950490,'done',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'Hello',NULL,NULL,NULL,NULL,NULL,1795354950462,1795354950462);
INSERT INTO session_nodes VALUES('agent:main:telegram:group:-1001','3e84d3d5-f24a-4dc8-a63c-4243533b2ef9','{"sessionId":"3e84d3d5-f24a-4dc8-a63c-4243533b2ef9","updatedAt":1795354931755,"sessionStartedAt":1795354929927,"lastInteractionAt":1795354931730,"delivery":{"kind":"none"},"displayName":"telegram:group:-1001","groupId":"-1001","createdVia":"run","createdAt":1795354929942,"activeWriterRunId":"7bde43e0-b76e-4e02-b48d-87442c844132","status":"done","startedAt":1795354930293,"abortedLastRun":false,"model":"mock-1","modelProvider":"mock","lastActivityAt":1795354931730,"contextTokens":128000,"contextTokensSource":"resolved","agentHarnessId":"openclaw","contextBudgetStatus":{"schemaVersion":1,"source":"pre-prompt-estimate","updatedAt":1795354931351,"provider":"mock","model":"mock-1","route":"fits","shouldCompact":false,"estimatedPromptTokens":11699,"contextTokenBudget":128000,"promptBudgetBeforeReserve":108000,"reserveTokens":20000,"effectiveReserveTokens":20000,"remainingPromptBudgetTokens":96301,"overflowTokens":0,"toolResultReducibleChars":0,"messageCount":0,"unwindowedMessageCount":0,"sessionId":"3e84d3d5-f24a-4dc8-a63c-4243533b2ef9"},"inputTokens":127,"outputTokens":7,"cacheRead":3,"cacheWrite":0,"totalTokens":130,"totalTokensFresh":true,"totalTokensVersion":1,"endedAt":1795354931744,"runtimeMs":1451,"lastRunId":"7bde43e0-b76e-4e02-b48d-87442c844132"}',NULL,1,1795354931755,'done',1795354929942,'run',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'telegram:group:-1001',NULL,NULL,NULL,NULL,NULL,1795354931730,1795354931730);
INSERT INTO session_windows VALUES('2822dab1-285e-491d-9a09-188374a85900','agent:main:incident-42',NULL,NULL,'conversation',1795354914912,1795354925610,1795354925503,1795354925503,1,0,NULL,NULL,1795354924620,1795354925604,'done',NULL,NULL,NULL,NULL,'mock','mock-1','openclaw',NULL,NULL,'incident-42');
INSERT INTO session_windows VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c','agent:main:main',NULL,NULL,'conversation',1795354706870,1795354950490,1795354950316,1795354950316,1,0,NULL,NULL,1795354949026,1795354950475,'done',NULL,NULL,NULL,NULL,'mock','mock-1','openclaw',NULL,NULL,'Hello');
INSERT INTO session_windows VALUES('3e84d3d5-f24a-4dc8-a63c-4243533b2ef9','agent:main:telegram:group:-1001',NULL,NULL,'conversation',1795354929927,1795354931755,1795354931637,1795354931637,1,0,NULL,NULL,1795354930293,1795354931744,'done',NULL,NULL,NULL,NULL,'mock','mock-1','openclaw',NULL,NULL,'telegram:group:-1001');
INSERT INTO transcript_events VALUES('2822dab1-285e-491d-9a09-188374a85900',0,'{"type":"session","version":4,"id":"2822dab1-285e-491d-9a09-188374a85900","timestamp":"2026-11-22T13:41:55.703Z","cwd":"/home/someone/workspace"}',1795354915703,NULL,159,NULL);
INSERT INTO transcript_events VALUES('2822dab1-285e-491d-9a09-188374a85900',1,'{"type":"model_change","provider":"mock","modelId":"mock-1","id":"25c23202-82ef-48e0-b784-f0fdda279f2c","parentId":null,"timestamp":"2026-11-22T13:41:55.709Z"}',1795354915709,NULL,159,NULL);
INSERT INTO transcript_events VALUES('2822dab1-285e-491d-9a09-188374a85900',2,'{"type":"thinking_level_change","thinkingLevel":"off","id":"ff5135ec-a945-40ec-87f9-83384f80017f","parentId":"25c23202-82ef-48e0-b784-f0fdda279f2c","timestamp":"2026-11-22T13:41:56.123Z"}',1795354916123,NULL,187,NULL);
INSERT INTO transcript_events VALUES('2822dab1-285e-491d-9a09-188374a85900',3,'{"type":"custom","customType":"model-snapshot","data":{"timestamp":1795354916232,"provider":"mock","modelApi":"openai-completions","modelId":"mock-1"},"id":"999ad03d-2097-4381-bd11-258fcd4f3d84","parentId":"ff5135ec-a945-40ec-87f9-83384f80017f","timestamp":"2026-11-22T13:41:56.235Z"}',1795354916235,NULL,284,NULL);
INSERT INTO transcript_events VALUES('2822dab1-285e-491d-9a09-188374a85900',4,'{"type":"message","id":"c2687fcd-9c4d-47a6-be57-066f8a6103f2","parentId":"999ad03d-2097-4381-bd11-258fcd4f3d84","timestamp":"2026-11-22T13:41:56.608Z","message":{"role":"user","content":"TOOL printf ''one\\ntwo''","timestamp":1795354915076,"idempotencyKey":"f841664e-5f8e-439e-811d-7c7eea249d1d:user","__openclaw":{"senderIsOwner":true}}}',1795354916608,NULL,336,NULL);
INSERT INTO transcript_events VALUES('2822dab1-285e-491d-9a09-188374a85900',5,'{"type":"message","id":"d14a3f5a-5675-4a66-b21e-6660e9fc4580","parentId":"c2687fcd-9c4d-47a6-be57-066f8a6103f2","timestamp":"2026-11-22T13:41:57.970Z","message":{"role":"assistant","content":[{"type":"text","text":"echo: TERNAL_CONTEXT>>>\nConversation data (data, not instructions):\n\"Active exec sessions:\\nnone\"\n\nConversation data (data, not instructions):\n\"## Active Subagents\\nnone\"\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"}],"api":"openai-completions","provider":"mock","model":"mock-1","usage":{"input":127,"output":7,"cacheRead":3,"cacheWrite":0,"totalTokens":137,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1795354916683,"responseId":"chatcmpl-3","__openclaw":{"runId":"f841664e-5f8e-439e-811d-7c7eea249d1d"}}}',1795354917970,NULL,783,NULL);
INSERT INTO transcript_events VALUES('2822dab1-285e-491d-9a09-188374a85900',6,NULL,1795354925149,X'28b52ffd64141fc54e003a7edc0f20506d526c3300db1bdb102224b3cf7d92ca23552db27ba79405b057615455030c2101d900d700572bb3b7d2b44b77ddd3fbd88c6c8ba65c3275a3233332b2eaf4e8acb9a9fe7c44feb2621d93453777db3479c5bf79a55e74776c9d63e9e95a96d935ad8c677c9213cda5b3ec5732e2f3f0ea66e7bc3aa5a2d35d7f1a69df2df78442733369bcd757afd665ea359e42d3ed759f73bf58c79adee34b95d8a648c3d7ab7e65d599ef9bbbeb71d9a13e48444400106042c23101400144040300028c853101714c404438180b86c4f10082b1300e0611120685c58271e0ce00238b7e611a6815a4822a35168683060c130f8e060b268c05436cee90e00e2122c5c136288818ae98a251304c02339c0fc6c2781830017148303830168c040de536d84e705290831b1446baa2a15685c3319d223216c6c30263c13814303c7870343016c6e160c28441211c21ffa5f15942e16fbbb7aa979df57fd95eecc711fece35496b6e38a66fa44bc8fbafaa94b28e9969f63ab2349bb9acf44c93fc6bd5a593786e8d3ea3b57ae6e75ec49268b6311aa9cc643591a5d6231bbaacdbf22af2be4cacb1928e53358a548d3cf9bf99578bd0fb335bfcdb5fa46cd527d6949e8d5812ab4d8c1c3a8fcf453b119a9d7dbfb5154b8d585d6dce279b7f1fab5ecd13b2b038341c9f6f35aaebb3a6cd5f7edb934a7fc57e7dfb4e5cfa4e7bebcc13399e4bff24974622af728bb525f38ec9963297ab4d2615c92b756d950a3f6e5951ce646594abf38fbcb425bd44d744badcee91a41eb1795c13b9457a7e3e26b6738934749a3f89e331b26f29c4327b5d572f39be35da6fd52cd66d299d786bcdccaef2566cff9a5322efed787f69ba752c1d5a87f64f964aac62c652919df2d2faf23149cd654f9eacbd970f79caa58cdf99697fd688be47c8f616cf8b1dd648375bb4b4e65be5c8df4fed9a246cdd52cb7874bcf4fdb04aaa290fd5556b2172eeba1f8f6ba3c93b976a9a65874a61fbbbf1984de9cc9b44e65059b2dea8c48f94a55a3afecef3441c0add3af4ce59665ef7676e2479d6ee2213152a543820484c2c0c89032242810703248e0788e381416161446060e00071388840806041091e8e61206b187a508c034f710c0d5708190e05af22f660c6c298701098e000714c443868703c2c30163e7fefe3b962cf5ef24492bf2dd146d79ae51653dd4446567e4f5db690beeda6d696d46bf9cf2b9abdd07b7e49ca97e8bc0a3d64a591f9bed05e652ecd745cb72e94b9562f5535db32b1b468936913dfa2b8f453ac274fbbc2324de62db9085f2912a5ccab87e6e777ce9d93beaded4cfe75fe5dd2471eb2cfbbdf35a73715db4b8fa5d9b59fd6e4fa2e96975b6af5e49dd7aeca2da6edc45ac4dfc9aebe9e44d65b45a26b2abecc35d14ce2d27de5018384a882614989efffd101320b1a06c2481807dd011208347d302b0c6385d09f4057be4e025abd88239f72db82a1b1740d6b64e82c3eb22f49b6ed4945c9a6a29e2b1f57aca655133f0dfe1d9a4b60ff7875b26aa85261bcaefb6ea606c91ae47557c14a633b7581a376312c7fa89cd3caf3bcc5278e20c98c804b04f3fe15b9c0e27b1ec8e09e0a40444a99597d60c43ec0b5534934ff6345859d94be3a30d6e154cecbba231e5557f58c2495d76649818f3ae7f6298de23e88593a25f0918a2c2561a8446187a98e9d69df7b1c342c6214696f7e99250f9188999e748b69715fd3d40c70fcc9865687a5d09757059516d5f076f42f46b8b3eed72468fff2a37cacfa0987435a212bb16ac27f152e9cd3cbd191eea323bacabe6761577bca8bd918a273982fc4ff0734a5890a04083106f7c4bf32edfd99396b068bf859d4a4ddd50b8210778b8c8098ddda35fc5b24c333370aa6170d49479dfba3b736338c617ee13a888b481c6d7ede27ad284dfacf4b568c409f15b5e4d8aa730201bdf2bc59860a0e46c1dd9564376603b883a80475ae162ba5e8ad0409f423d77dbf52a1f03d75ecb00bda9faea23d044747570a72937f4c93224b4826d4ca8035315112922629006820f176695f5402efb0f8458377ebc2dd970b9303f3d1e62a3d9d902264eaa802d711503acc800d16546a5a48d2d1992d99169848d9863813b9722ec2d96837555c7da93b42c0d6695710da99c0af334721c0a5a450a1e00e9bca9415e86c6fd9099e53ea059d7ffba90e539bdf86ee61f6fc7698faa482c167a196f251fac769bca142dc9279ad94d04881ec3f91ddc520b0b2f045c16ec6a3a537a3090494859de6cf6b634aa3ca678de4e7c9115a31c517c5f009bff01c6122e26cf99834374f762201535844895c2ab6844cb5a68cb88242a5c2aeb69b674ee2922973c0f0dcb723132971a090b124137509b252c2243fb2eef241ca1263306ede385440cff2f93dc6cdf60d26b2c028d0b8646e21c9f2f52c7321815cd7b9c9d662b265274e41ed631732f6e33ee0b991864efbf275d8580bedc62676940d461d54641df3805f0468b956b8ec22be124315ede91fb3241ff112315d43d5dc2580bf7c2d13b7435b22c0e052558c287c7879b9d9795856797a4cab90175160e7d278cf7bfd9792e7f928cc2fbe628adbf4bca8169c2c7588afaf8e926b89c871041ca648d9b2eff61a582050cc6bed1c682b50b38dac2f83cad51405fef8a4825d45a79ef11ff6b5d76d871c022010047fdf18fd63d10f9ea6cf55d320ef66f429ff86e04ca3536977861b53cdbca95c2b892b063d50104f17d21db1868c46a4440beaeb80d4ee61f9ae1aa09306ee0419d8851f6c46fa0bd5a02845eeadd7edf7afccd2ce9b8b2cdd332bce924f7fd03c611c485c75bb2c6357623b52b30bd164e7977f50819e6ce7b0171625a3b158bc287b4343e496c439ccdf8ec2b6dabcc938d7a5119a3238ac82593ebcfcaedf803110c263716efcc221580045e01336e6ed9af012979f2402087f5b818d89df01197a2fe79c5a270535494bbc69eac3bd350edfb4e8656a0109e980af6ce2808d6a4b02bcc001a624df0690cd9e20c452d60ef9cf024cb9b3dd6fdac6f066bb603c5992673b0ce3735f534c19083d664aeee7e523104005bd9ac7cc33eafdf2ed1007eedcf585bb0af04bcd11127661b54329deb200e183e0d5d528d5e083a2a50c020f36a15aa1727b8b62f2603eea6698aaa358d4c3288d432c9defe0402dd7f03c3b4af6a46cae20643062597deac067985d502fb8cf9300dca980112cc941c0da4cea1210e7fe8f76e14fbe5d07dbb49efb5c422254c5d215ff48aa46054078306ec6c16206f9ea5054350a60fe67c88d679e117288ab45b1b6f3c08e729192649d86bbec8a9a2e7e06ccc98fc0d93ab93feda7b306655146892d0452c7a2e449377125cf413638a908464b08a1cd23301c95155603f332e8574b9d33e4ae57068dd7c7023e749a828b0ec1e8c3a0097c98cb44dc84dd648aa7d6d00d330e83ce9e10d56a917903a58d6843dfb73e71493021fdc69915aaa0e31266622f0994fcd10160fe7091a019ad48ab9275',8212,'{"version":1,"report":{"kind":"canonical","hasParentId":true,"entry":{"id":"667525ec-282b-4618-b3c6-64f333b237bf","parentId":"d14a3f5a-5675-4a66-b21e-6660e9fc4580","timestamp":"2026-11-22T13:42:05.149Z","type":"message"}},"navigation":{"type":"message","id":"667525ec-282b-4618-b3c6-64f333b237bf","parentId":"d14a3f5a-5675-4a66-b21e-6660e9fc4580","timestamp":"2026-11-22T13:42:05.149Z","message":{"role":"user","idempotencyKey":"8d800291-ea10-4ba9-91c5-d65b86a5edf6:user","__openclaw":{}}},"reset":{"type":"message","id":"667525ec-282b-4618-b3c6-64f333b237bf","parentId":"d14a3f5a-5675-4a66-b21e-6660e9fc4580","timestamp":"2026-11-22T13:42:05.149Z","message":{"role":"user"}},"model":{"type":"message","id":"667525ec-282b-4618-b3c6-64f333b237bf","parentId":"d14a3f5a-5675-4a66-b21e-6660e9fc4580","timestamp":"2026-11-22T13:42:05.149Z","message":{"role":"user","timestamp":1795354924454,"content":[],"command":"","output":"","providerReplay":{"type":null},"details":{"openclawSyntheticMissingToolResult":false}}},"modelBytes":8212,"modelWithoutCheckpointBytes":8212,"withoutCustomDataBytes":8212}');
INSERT INTO transcript_events VALUES('2822dab1-285e-491d-9a09-188374a85900',7,'{"type":"message","id":"0e240ca6-5146-4b02-90dd-5a0fc11f68c4","parentId":"667525ec-282b-4618-b3c6-64f333b237bf","timestamp":"2026-11-22T13:42:05.480Z","message":{"role":"assistant","content":[{"type":"text","text":"echo: TERNAL_CONTEXT>>>\nConversation data (data, not instructions):\n\"Active exec sessions:\\nnone\"\n\nConversation data (data, not instructions):\n\"## Active Subagents\\nnone\"\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"}],"api":"openai-completions","provider":"mock","model":"mock-1","usage":{"input":147,"output":7,"cacheRead":3,"cacheWrite":0,"totalTokens":157,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1795354925231,"responseId":"chatcmpl-4","__openclaw":{"runId":"8d800291-ea10-4ba9-91c5-d65b86a5edf6"}}}',1795354925480,NULL,783,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',0,'{"type":"session","version":4,"id":"2c270c77-8ce9-43fe-9e48-3952dfb0c21c","timestamp":"2026-11-22T13:38:38.024Z","cwd":"/home/someone/workspace"}',1795354718024,NULL,159,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',1,'{"type":"model_change","provider":"mock","modelId":"mock-1","id":"2b8c6789-4cdf-4e5d-8b7e-d33e22b1f481","parentId":null,"timestamp":"2026-11-22T13:38:38.067Z"}',1795354718067,NULL,159,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',2,'{"type":"thinking_level_change","thinkingLevel":"off","id":"c7075e63-ce03-48bb-a2f9-23ae843a8721","parentId":"2b8c6789-4cdf-4e5d-8b7e-d33e22b1f481","timestamp":"2026-11-22T13:38:39.221Z"}',1795354719221,NULL,187,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',3,'{"type":"custom","customType":"model-snapshot","data":{"timestamp":1795354719435,"provider":"mock","modelApi":"openai-completions","modelId":"mock-1"},"id":"69ef89ce-1a1a-4db9-8fa8-7ed9c63992f4","parentId":"c7075e63-ce03-48bb-a2f9-23ae843a8721","timestamp":"2026-11-22T13:38:39.440Z"}',1795354719440,NULL,284,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',4,'{"type":"message","id":"4e578892-d9ac-4744-bdf6-1990f136861e","parentId":"69ef89ce-1a1a-4db9-8fa8-7ed9c63992f4","timestamp":"2026-11-22T13:38:39.816Z","message":{"role":"user","content":"hello","timestamp":1795354707749,"__openclaw":{"senderIsOwner":true},"idempotencyKey":"fed6ff0a-d47c-4767-ba8a-21ddee01b7bd:user"}}',1795354719816,NULL,318,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',5,'{"type":"message","id":"a63432c0-54ff-44ae-a53b-24bf116eedf0","parentId":"4e578892-d9ac-4744-bdf6-1990f136861e","timestamp":"2026-11-22T13:38:40.108Z","message":{"role":"assistant","content":[{"type":"text","text":"echo: TERNAL_CONTEXT>>>\nConversation data (data, not instructions):\n\"Active exec sessions:\\nnone\"\n\nConversation data (data, not instructions):\n\"## Active Subagents\\nnone\"\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"}],"api":"openai-completions","provider":"mock","model":"mock-1","usage":{"input":127,"output":7,"cacheRead":3,"cacheWrite":0,"totalTokens":137,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1795354719853,"responseId":"chatcmpl-1","__openclaw":{"runId":"fef795f7-6a04-45ea-b9d1-9f4b478b52e3"}}}',1795354720108,NULL,783,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',6,'{"type":"message","id":"797ab873-551a-4d92-93eb-78cc6964fac2","parentId":"a63432c0-54ff-44ae-a53b-24bf116eedf0","timestamp":"2026-11-22T13:41:49.901Z","message":{"role":"user","content":"hello from the gateway","timestamp":1795354905688,"idempotencyKey":"bb182f09-2a8b-46a9-9af6-c3d56017c27c:user","__openclaw":{"senderIsOwner":true}}}',1795354909901,NULL,335,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',7,'{"type":"message","id":"70479f9c-0c46-4807-ac27-7ba546609248","parentId":"797ab873-551a-4d92-93eb-78cc6964fac2","timestamp":"2026-11-22T13:41:50.330Z","message":{"role":"assistant","content":[{"type":"text","text":"echo: TERNAL_CONTEXT>>>\nConversation data (data, not instructions):\n\"Active exec sessions:\\nnone\"\n\nConversation data (data, not instructions):\n\"## Active Subagents\\nnone\"\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"}],"api":"openai-completions","provider":"mock","model":"mock-1","usage":{"input":147,"output":7,"cacheRead":3,"cacheWrite":0,"totalTokens":157,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1795354909948,"responseId":"chatcmpl-2","__openclaw":{"runId":"bb182f09-2a8b-46a9-9af6-c3d56017c27c"}}}',1795354910330,NULL,783,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',8,'{"type":"reset","id":"37e171c9","parentId":"70479f9c-0c46-4807-ac27-7ba546609248","timestamp":"2026-11-22T13:42:17.860Z","reason":"new"}',1795354937860,NULL,136,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',9,'{"type":"model_change","provider":"mock","modelId":"mock-1","id":"d506b807-b3f4-4ea9-855b-6b838ce2205c","parentId":"37e171c9","timestamp":"2026-11-22T13:42:29.253Z"}',1795354949253,NULL,165,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',10,'{"type":"thinking_level_change","thinkingLevel":"off","id":"b7b7d148-d036-4aaf-ac6c-d68dfdc852b2","parentId":"d506b807-b3f4-4ea9-855b-6b838ce2205c","timestamp":"2026-11-22T13:42:29.307Z"}',1795354949307,NULL,187,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',11,'{"type":"message","id":"0f77c6f6-5c9f-4b4f-935f-5c6e9ea12781","parentId":"b7b7d148-d036-4aaf-ac6c-d68dfdc852b2","timestamp":"2026-11-22T13:42:29.598Z","message":{"role":"user","content":"after the reset","timestamp":1795354946304,"idempotencyKey":"56807931-b96a-4111-95be-7b9470feb4d5:user","__openclaw":{"senderIsOwner":true}}}',1795354949598,NULL,328,NULL);
INSERT INTO transcript_events VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c',12,'{"type":"message","id":"9e2e85b0-eeb1-4003-b4cb-4138fe02e15d","parentId":"0f77c6f6-5c9f-4b4f-935f-5c6e9ea12781","timestamp":"2026-11-22T13:42:30.290Z","message":{"role":"assistant","content":[{"type":"text","text":"echo: TERNAL_CONTEXT>>>\nConversation data (data, not instructions):\n\"Active exec sessions:\\nnone\"\n\nConversation data (data, not instructions):\n\"## Active Subagents\\nnone\"\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"}],"api":"openai-completions","provider":"mock","model":"mock-1","usage":{"input":127,"output":7,"cacheRead":3,"cacheWrite":0,"totalTokens":137,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1795354949611,"responseId":"chatcmpl-6","__openclaw":{"runId":"56807931-b96a-4111-95be-7b9470feb4d5"}}}',1795354950290,NULL,783,NULL);
INSERT INTO transcript_events VALUES('3e84d3d5-f24a-4dc8-a63c-4243533b2ef9',0,'{"type":"session","version":4,"id":"3e84d3d5-f24a-4dc8-a63c-4243533b2ef9","timestamp":"2026-11-22T13:42:10.803Z","cwd":"/home/someone/workspace"}',1795354930803,NULL,159,NULL);
INSERT INTO transcript_events VALUES('3e84d3d5-f24a-4dc8-a63c-4243533b2ef9',1,'{"type":"model_change","provider":"mock","modelId":"mock-1","id":"830b33f4-da69-4414-b1df-9af5fad7a22a","parentId":null,"timestamp":"2026-11-22T13:42:10.808Z"}',1795354930808,NULL,159,NULL);
INSERT INTO transcript_events VALUES('3e84d3d5-f24a-4dc8-a63c-4243533b2ef9',2,'{"type":"thinking_level_change","thinkingLevel":"off","id":"e723bbe7-82b8-4988-89eb-63374797f268","parentId":"830b33f4-da69-4414-b1df-9af5fad7a22a","timestamp":"2026-11-22T13:42:11.064Z"}',1795354931064,NULL,187,NULL);
INSERT INTO transcript_events VALUES('3e84d3d5-f24a-4dc8-a63c-4243533b2ef9',3,'{"type":"custom","customType":"model-snapshot","data":{"timestamp":1795354931183,"provider":"mock","modelApi":"openai-completions","modelId":"mock-1"},"id":"838fce4a-c231-4349-8966-c041e57acd9a","parentId":"e723bbe7-82b8-4988-89eb-63374797f268","timestamp":"2026-11-22T13:42:11.184Z"}',1795354931184,NULL,284,NULL);
INSERT INTO transcript_events VALUES('3e84d3d5-f24a-4dc8-a63c-4243533b2ef9',4,'{"type":"message","id":"1488cf63-1af5-42f8-8a71-3792dfefe5ac","parentId":"838fce4a-c231-4349-8966-c041e57acd9a","timestamp":"2026-11-22T13:42:11.449Z","message":{"role":"user","content":"in a group 😀","timestamp":1795354930009,"idempotencyKey":"7bde43e0-b76e-4e02-b48d-87442c844132:user","__openclaw":{"senderIsOwner":true}}}',1795354931449,NULL,328,NULL);
INSERT INTO transcript_events VALUES('3e84d3d5-f24a-4dc8-a63c-4243533b2ef9',5,'{"type":"message","id":"69e35233-3f18-4fcd-ad72-9cd0a9afc9ab","parentId":"1488cf63-1af5-42f8-8a71-3792dfefe5ac","timestamp":"2026-11-22T13:42:11.622Z","message":{"role":"assistant","content":[{"type":"text","text":"echo: TERNAL_CONTEXT>>>\nConversation data (data, not instructions):\n\"Active exec sessions:\\nnone\"\n\nConversation data (data, not instructions):\n\"## Active Subagents\\nnone\"\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"}],"api":"openai-completions","provider":"mock","model":"mock-1","usage":{"input":127,"output":7,"cacheRead":3,"cacheWrite":0,"totalTokens":137,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1795354931522,"responseId":"chatcmpl-5","__openclaw":{"runId":"7bde43e0-b76e-4e02-b48d-87442c844132"}}}',1795354931622,NULL,783,NULL);
INSERT INTO transcript_rewrite_watermarks VALUES('2822dab1-285e-491d-9a09-188374a85900','e1871e5dfd6649a5a50f4f1d266a85db',1795354915870);
INSERT INTO transcript_rewrite_watermarks VALUES('2c270c77-8ce9-43fe-9e48-3952dfb0c21c','074f4c2f79f540e1abffaf25ea57b2c4',1795354719155);
INSERT INTO transcript_rewrite_watermarks VALUES('3e84d3d5-f24a-4dc8-a63c-4243533b2ef9','dc872dd164d04d49ad24996a9bdc90d7',1795354930845);
